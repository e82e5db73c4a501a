#include "tests/crash/history.h"

#include <algorithm>

namespace berglite::crash {
namespace {

std::string Text(const Commit& commit) {
  return "commit " + std::to_string(commit.id) + " of writer " + std::to_string(commit.writer);
}

// Versions that are some commit's, each at most once and after the creation.
std::optional<std::string> FindForged(const std::map<uint64_t, const Commit*>& sent,
                                      const std::vector<Version>& versions) {
  if (versions.empty() || versions[0].id != 0) return "the first version is no creation";
  std::set<uint64_t> seen;
  for (size_t i = 1; i < versions.size(); ++i) {
    const auto found = sent.find(versions[i].id);
    if (found == sent.end()) {
      return "forged: version " + std::to_string(i) + " has the commit " +
             std::to_string(versions[i].id) + ", which nobody sent";
    }
    const Commit& commit = *found->second;
    if (commit.outcome == Outcome::kRefused) return "forged: the refused " + Text(commit);
    if (!seen.insert(commit.id).second) return "made twice: " + Text(commit);
    if (!commit.location.empty() && commit.location != versions[i].location) {
      return Text(commit) + ": answered with " + commit.location + ", stored as " +
             versions[i].location;
    }
  }
  return std::nullopt;
}

std::optional<std::string> FindDisorder(const std::map<uint64_t, const Commit*>& sent,
                                        const std::vector<Version>& versions) {
  std::map<int, uint64_t> last_of_writer;
  const Commit* sent_last = nullptr;
  for (size_t i = 1; i < versions.size(); ++i) {
    const Commit& commit = *sent.at(versions[i].id);
    uint64_t& last = last_of_writer[commit.writer];
    if (commit.id <= last)
      return "out of order: " + Text(commit) + " after " + std::to_string(last);
    last = commit.id;
    if (sent_last != nullptr && commit.answered < sent_last->sent) {
      return "out of order: " + Text(commit) + " was answered before " + Text(*sent_last) +
             " was sent, which is stored before it";
    }
    if (sent_last == nullptr || commit.sent > sent_last->sent) sent_last = &commit;
  }
  return std::nullopt;
}

}  // namespace

std::set<uint64_t> IdsOf(const History& history) {
  std::set<uint64_t> ids;
  for (const Version& version : history.versions) ids.insert(version.id);
  return ids;
}

std::optional<std::string> FindFault(const std::vector<Commit>& commits, const History& history) {
  std::map<uint64_t, const Commit*> sent;
  for (const Commit& commit : commits) sent[commit.id] = &commit;
  if (auto fault = FindForged(sent, history.versions)) return fault;
  const std::set<uint64_t> made = IdsOf(history);
  for (const Commit& commit : commits) {
    if (commit.outcome == Outcome::kDone && !made.contains(commit.id)) {
      return "lost: " + Text(commit);
    }
  }
  if (auto fault = FindDisorder(sent, history.versions)) return fault;
  std::vector<uint64_t> appended;
  for (size_t i = 1; i < history.versions.size(); ++i) {
    const uint64_t id = history.versions[i].id;
    if (sent.at(id)->appends) appended.push_back(id);
  }
  if (appended != history.snapshots) {
    return "expected " + std::to_string(appended.size()) +
           " snapshots in the order of their commits, found " +
           std::to_string(history.snapshots.size());
  }
  return std::nullopt;
}

Names AfterUnknown(Names names, const NameChange& change, const Names& found) {
  const auto destination = found.find(change.to);
  const bool is_made =
      change.to.empty() ? !found.contains(change.from) : destination != found.end();
  if (!is_made) return names;
  std::string uuid;
  if (!change.from.empty()) {
    const auto source = names.find(change.from);
    if (source != names.end()) uuid = source->second;
    names.erase(change.from);
  }
  // Of a creation whose answer did not come, the UUID is not known.
  if (!change.to.empty()) names[change.to] = change.from.empty() ? destination->second : uuid;
  return names;
}

std::optional<std::string> FindFault(const Names& expected, const Names& found) {
  for (const auto& [name, uuid] : expected) {
    const auto stored = found.find(name);
    if (stored == found.end()) return "lost: the table " + name;
    if (stored->second != uuid) {
      return "table " + name + ": expected the UUID " + uuid + ", found " + stored->second;
    }
  }
  for (const auto& [name, uuid] : found) {
    if (!expected.contains(name)) return "forged: the table " + name;
  }
  return std::nullopt;
}

}  // namespace berglite::crash
