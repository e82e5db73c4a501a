#include "tests/crash/writer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "tests/bench/harness.h"

namespace berglite::crash {
namespace {

using nlohmann::json;

int64_t Now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

// Each change has a key that no other ever has.
std::string KeyHeader(uint64_t id) {
  char line[80];
  std::snprintf(line, sizeof(line), "Idempotency-Key: 00000000-0000-4000-8%03x-%012llx\r\n",
                static_cast<unsigned>(id >> 48),
                static_cast<unsigned long long>(id & 0xFFFFFFFFFFFF));
  return line;
}

// The text after `"name":"`, since replies are long and one member is enough. Empty where it is
// not.
std::string FindMember(const std::string& body, const std::string& name) {
  const std::string mark = '"' + name + "\":\"";
  const size_t found = body.find(mark);
  if (found == std::string::npos) return {};
  const size_t from = found + mark.size();
  return body.substr(from, body.find('"', from) - from);
}

// Every commit leaves its id in the metadata, which its successor overwrites.
json Mark(uint64_t id) {
  return {{"action", "set-properties"}, {"updates", {{"last", std::to_string(id)}}}};
}

}  // namespace

std::string SharedTable(int number) { return "shared" + std::to_string(number); }

std::string CreateTableBody(const std::string& name) {
  const json id{{"id", 1}, {"name", "id"}, {"type", "long"}, {"required", false}};
  return json{{"name", name},
              {"schema", {{"type", "struct"}, {"fields", {id}}}},
              {"properties", {{"write.metadata.previous-versions-max", "1000000"}}}}
      .dump();
}

void Writer::Begin(bench::HttpClient& client, const std::string& name_space) {
  namespace_ = name_space;
  commits_.clear();
  transactions_.clear();
  names_.clear();
  own_head_ = {};
  for (const std::string& name : {own(), twin()}) {
    bench::Check(
        client.Send("POST", "/v1/namespaces/" + namespace_ + "/tables", CreateTableBody(name)),
        "create");
  }
}

void Writer::Work(bench::HttpClient& client) {
  Resolve(client);
  while (true) Step(client);
}

void Writer::Resolve(bench::HttpClient& client) {
  if (pending_) Make(client, *pending_);
}

void Writer::Step(bench::HttpClient& client) {
  switch (chance_() % 8) {
    case 0:
    case 1:
    case 2:
      return CommitToOwn(client);
    case 3:
    case 4:
      return CommitToShared(client);
    case 5:
    case 6:
      return CommitToBoth(client);
    default:
      return ChangeNames(client);
  }
}

void Writer::CommitToOwn(bench::HttpClient& client) {
  const bool appends = chance_() % 4 != 0;
  CommitTo(client, own(), appends ? &own_head_ : nullptr);
}

// Appends as engines do it, which others may get ahead of; and changes that hold in any state.
void Writer::CommitToShared(bench::HttpClient& client) {
  const std::string table = SharedTable(0);
  if (chance_() % 2 == 0) return CommitTo(client, table, nullptr);
  const Head head = LoadHead(client, table);
  CommitTo(client, table, &head);
}

// An append where `head` is given.
void Writer::CommitTo(bench::HttpClient& client, const std::string& table, const Head* head) {
  const uint64_t id = NextId();
  json requirements = json::array();
  json updates = json::array({Mark(id)});
  if (head != nullptr) {
    const json parent = head->snapshot == 0 ? json() : json(head->snapshot);
    requirements.push_back(
        {{"type", "assert-ref-snapshot-id"}, {"ref", "main"}, {"snapshot-id", parent}});
    json snapshot{{"snapshot-id", id},
                  {"sequence-number", head->sequence + 1},
                  {"timestamp-ms", 1'700'000'000'000 + head->sequence},
                  {"manifest-list", "file:///none/" + std::to_string(id)},
                  {"schema-id", 0},
                  {"summary", {{"operation", "append"}}}};
    if (head->snapshot != 0) snapshot["parent-snapshot-id"] = parent;
    updates.push_back({{"action", "add-snapshot"}, {"snapshot", std::move(snapshot)}});
    updates.push_back({{"action", "set-snapshot-ref"},
                       {"ref-name", "main"},
                       {"type", "branch"},
                       {"snapshot-id", id}});
  }
  commits_[table].push_back(
      {.id = id, .writer = number_, .appends = head != nullptr, .sent = Now()});
  Make(client, {.method = "POST",
                .target = TableTarget(table),
                .body = json{{"requirements", requirements}, {"updates", updates}}.dump(),
                .id = id,
                .tables = {table},
                .names = {},
                .may_be_refused = head != nullptr && table != own()});
}

void Writer::CommitToBoth(bench::HttpClient& client) {
  const uint64_t id = NextId();
  json changes = json::array();
  const std::vector<std::string> tables{twin(), SharedTable(1)};
  for (const std::string& table : tables) {
    changes.push_back({{"identifier", {{"namespace", {namespace_}}, {"name", table}}},
                       {"requirements", json::array()},
                       {"updates", {Mark(id)}}});
    commits_[table].push_back({.id = id, .writer = number_, .sent = Now()});
  }
  transactions_.insert(id);
  Make(client, {.method = "POST",
                .target = "/v1/transactions/commit",
                .body = json{{"table-changes", changes}}.dump(),
                .id = id,
                .tables = tables,
                .names = {}});
}

void Writer::ChangeNames(bench::HttpClient& client) {
  const uint64_t id = NextId();
  const std::string name = "made" + std::to_string(id);
  const std::string tables = "/v1/namespaces/" + namespace_ + "/tables";
  // A name is never used again: what was not made must not appear later either.
  if (names_.size() < 4 || chance_() % 3 == 0) {
    return Make(client, {.method = "POST",
                         .target = tables,
                         .body = CreateTableBody(name),
                         .id = id,
                         .tables = {},
                         .names = {.from = "", .to = name}});
  }
  const std::string old = std::next(names_.begin(), static_cast<int>(chance_() % 4))->first;
  if (chance_() % 2 == 0) {
    return Make(client, {.method = "DELETE",
                         .target = TableTarget(old),
                         .body = "",
                         .id = id,
                         .tables = {},
                         .names = {.from = old, .to = ""}});
  }
  const auto in_namespace = [this](const std::string& table) {
    return json{{"namespace", {namespace_}}, {"name", table}};
  };
  Make(client,
       {.method = "POST",
        .target = "/v1/tables/rename",
        .body = json{{"source", in_namespace(old)}, {"destination", in_namespace(name)}}.dump(),
        .id = id,
        .tables = {},
        .names = {.from = old, .to = name}});
}

Writer::Head Writer::LoadHead(bench::HttpClient& client, const std::string& table) {
  const bench::Reply reply = client.Send("GET", TableTarget(table) + "?snapshots=refs");
  bench::Check(reply, "load");
  const json metadata = json::parse(reply.body)["metadata"];
  const json refs = metadata.value("refs", json::object());
  return {.snapshot = refs.contains("main") ? refs["main"]["snapshot-id"].get<uint64_t>() : 0,
          .sequence = metadata.value("last-sequence-number", int64_t{0})};
}

// Sends a change until it is answered with more than "not now".
void Writer::Make(bench::HttpClient& client, Pending pending) {
  pending_ = std::move(pending);
  bench::Reply reply;
  reply.status = 503;
  while (reply.status == 503) {
    const int64_t begin = Now();
    reply =
        client.Send(pending_->method, pending_->target, pending_->body, KeyHeader(pending_->id));
    slowest_ms_ = std::max(slowest_ms_, static_cast<double>(Now() - begin) / 1e6);
  }
  const bool is_done = reply.status == 200 || reply.status == 204;
  if (!is_done && !(reply.status == 409 && pending_->may_be_refused)) {
    throw Wrong(pending_->method + " " + pending_->target + " " + pending_->body + ": " +
                std::to_string(reply.status) + " " + reply.body);
  }
  ++(is_done ? acknowledged_ : refused_);
  if (pending_->tables.empty()) {
    BookNames(reply);
  } else {
    Book(reply);
  }
  pending_.reset();
}

void Writer::Book(const bench::Reply& reply) {
  for (const std::string& table : pending_->tables) {
    Commit& commit = commits_[table].back();
    commit.answered = Now();
    commit.outcome = reply.status == 409 ? Outcome::kRefused : Outcome::kDone;
    if (reply.status == 200) commit.location = FindMember(reply.body, "metadata-location");
    if (table == own() && commit.appends) own_head_ = {commit.id, own_head_.sequence + 1};
  }
}

void Writer::BookNames(const bench::Reply& reply) {
  const NameChange& change = pending_->names;
  std::string uuid = FindMember(reply.body, "table-uuid");
  if (!change.from.empty()) {
    uuid = names_[change.from];
    names_.erase(change.from);
  }
  if (!change.to.empty()) names_[change.to] = uuid;
}

bool Writer::IsMade(const std::set<uint64_t>& made) const {
  return pending_ && made.contains(pending_->id);
}

Names Writer::ExpectedNames(const Names& found) const {
  return pending_ && pending_->tables.empty() ? AfterUnknown(names_, pending_->names, found)
                                              : names_;
}

std::string Writer::TableTarget(const std::string& table) const {
  return "/v1/namespaces/" + namespace_ + "/tables/" + table;
}

}  // namespace berglite::crash
