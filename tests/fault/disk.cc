#include "tests/fault/disk.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace berglite::testing {

namespace fs = std::filesystem;

namespace {

std::string DirectoryOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Applies the first `size` bytes of a write, or a truncation.
void ApplyTo(std::string& content, const DiskCall& call, size_t size) {
  if (call.kind == DiskCall::Kind::kTruncate) {
    content.resize(static_cast<size_t>(call.offset), '\0');
    return;
  }
  const auto offset = static_cast<size_t>(call.offset);
  if (content.size() < offset + size) content.resize(offset + size, '\0');
  content.replace(offset, size, call.bytes, 0, size);
}

// Which of `count` unsynced calls survive.
std::vector<bool> ChooseSurvivors(size_t count, Survives survives, std::mt19937& random) {
  std::vector<bool> chosen(count, survives == Survives::kEverything);
  if (survives == Survives::kPrefixes) {
    std::fill_n(chosen.begin(), random() % (count + 1), true);
  } else if (survives == Survives::kSubsets) {
    for (size_t i = 0; i < count; ++i) chosen[i] = random() % 2 == 0;
  }
  return chosen;
}

}  // namespace

Disk::Disk(std::string root) : root_(std::move(root)) {
  names_[root_] = 0;
  nodes_.push_back({.is_directory = true});
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    names_[entry.path().string()] = nodes_.size();
    Node node{.is_directory = entry.is_directory()};
    if (!node.is_directory) {
      std::ifstream file(entry.path(), std::ios::binary);
      node.durable.assign(std::istreambuf_iterator<char>(file), {});
    }
    nodes_.push_back(std::move(node));
  }
  durable_names_ = names_;
}

void Disk::Apply(const DiskCall& call) {
  switch (call.kind) {
    case DiskCall::Kind::kMakeFile:
    case DiskCall::Kind::kMakeDirectory:
      names_[call.path] = nodes_.size();
      unsynced_names_[DirectoryOf(call.path)].push_back({call.path, nodes_.size()});
      nodes_.push_back({.is_directory = call.kind == DiskCall::Kind::kMakeDirectory});
      return;
    case DiskCall::Kind::kRemove:
      names_.erase(call.path);
      unsynced_names_[DirectoryOf(call.path)].push_back({call.path, std::nullopt});
      return;
    case DiskCall::Kind::kWrite:
    case DiskCall::Kind::kTruncate:
      // A file that was removed while it was open is nobody's.
      if (auto found = names_.find(call.path); found != names_.end()) {
        nodes_[found->second].unsynced.push_back(call);
      }
      return;
    case DiskCall::Kind::kSync:
      return Sync(call.path);
  }
}

void Disk::Sync(const std::string& path) {
  auto found = names_.find(path);
  if (found == names_.end()) return;
  Node& node = nodes_[found->second];
  for (const DiskCall& call : node.unsynced) ApplyTo(node.durable, call, call.bytes.size());
  node.unsynced.clear();
  if (!node.is_directory) return;
  for (const NameChange& change : std::exchange(unsynced_names_[path], {})) {
    durable_names_.erase(change.path);
    if (change.node) durable_names_[change.path] = *change.node;
  }
}

std::string Disk::ContentOf(const Node& node, Survives survives, std::mt19937& random) const {
  std::string content = node.durable;
  const std::vector<bool> chosen = ChooseSurvivors(node.unsynced.size(), survives, random);
  bool is_torn = survives == Survives::kPrefixes;
  for (size_t i = 0; i < chosen.size(); ++i) {
    const DiskCall& call = node.unsynced[i];
    if (chosen[i]) {
      ApplyTo(content, call, call.bytes.size());
    } else if (std::exchange(is_torn, false) && call.kind == DiskCall::Kind::kWrite) {
      ApplyTo(content, call, random() % (call.bytes.size() + 1));
    }
  }
  return content;
}

Disk::Names Disk::NamesLeft(Survives survives, std::mt19937& random) const {
  Names names = durable_names_;
  for (const auto& [directory, changes] : unsynced_names_) {
    const std::vector<bool> chosen = ChooseSurvivors(changes.size(), survives, random);
    for (size_t i = 0; i < changes.size(); ++i) {
      if (!chosen[i]) continue;
      names.erase(changes[i].path);
      if (changes[i].node) names[changes[i].path] = *changes[i].node;
    }
  }
  return names;
}

void Disk::Write(Survives survives, std::mt19937& random) const {
  for (const auto& entry : fs::directory_iterator(root_)) fs::remove_all(entry.path());
  // A directory comes before what is in it.
  for (const auto& [path, number] : NamesLeft(survives, random)) {
    const Node& node = nodes_[number];
    if (path == root_ || !fs::exists(DirectoryOf(path))) continue;
    if (node.is_directory) {
      fs::create_directory(path);
    } else {
      const std::string content = ContentOf(node, survives, random);
      std::ofstream(path, std::ios::binary) << content;
    }
  }
}

}  // namespace berglite::testing
