#include "shim/transfer/transfer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "shim/transfer/json.h"
#include "shim/transfer/state.h"

namespace berglite::transfer {
namespace {

using Kind = Outcome::Kind;

constexpr size_t kLevelsMax = 64;

std::vector<std::string> PartsOf(const TableIdentifier& name) {
  std::vector<std::string> parts = name.name_space;
  parts.push_back(name.name);
  return parts;
}

bool IsAbsence(const Error& error) {
  return error.kind == ErrorKind::kNoSuchTable || error.kind == ErrorKind::kNoSuchView ||
         error.kind == ErrorKind::kNoSuchNamespace;
}

class Mover {
 public:
  Mover(Endpoint& source, Endpoint& target, const TransferOptions& options)
      : source_(source), target_(target), options_(options) {}

  Result<std::vector<Outcome>> Run() {
    if (options_.namespaces.empty()) {
      BERGLITE_ASSIGN_OR_RETURN(const std::vector<Namespace> roots, source_.ListNamespaces({}));
      for (const Namespace& root : roots) MoveNamespace(root);
    }
    for (const Namespace& root : options_.namespaces) MoveNamespace(root);
    return std::move(outcomes_);
  }

 private:
  void Report(Kind kind, const TableIdentifier& name, Result<Outcome> outcome) {
    if (!outcome) return ReportFailure(kind, PartsOf(name), outcome.error());
    outcome->kind = kind;
    outcome->name = PartsOf(name);
    outcomes_.push_back(*std::move(outcome));
  }
  void ReportFailure(Kind kind, std::vector<std::string> name, const Error& error) {
    outcomes_.push_back({.kind = kind,
                         .name = std::move(name),
                         .verdict = Verdict::kFailed,
                         .reason = error.message});
  }

  void MoveNamespace(const Namespace& name_space);
  void MoveChildren(const Namespace& parent, const std::vector<Namespace>& children);
  Result<Verdict> CopyNamespace(const Namespace& name_space);
  Result<Outcome> RegisterTable(const TableIdentifier& table);
  // Looks at both sides again.
  Result<Outcome> Compare(const TableIdentifier& table, const State& moved);
  Result<Outcome> CopyView(const TableIdentifier& view);
  Status MakeView(const TableIdentifier& view, const State& state);

  // nullopt where the catalog has no such table or view.
  static Result<std::optional<State>> Find(Result<Document> loaded,
                                           Result<State> (*read)(const Document&)) {
    if (!loaded && IsAbsence(loaded.error())) return std::optional<State>();
    BERGLITE_ASSIGN_OR_RETURN(const Document document, std::move(loaded));
    BERGLITE_ASSIGN_OR_RETURN(State state, read(document));
    return std::optional(std::move(state));
  }

  Endpoint& source_;
  Endpoint& target_;
  const TransferOptions& options_;
  std::vector<Outcome> outcomes_;
};

// What fails in one does not keep the others from moving.
void Mover::MoveNamespace(const Namespace& name_space) {
  const Result<Verdict> copied = CopyNamespace(name_space);
  if (!copied) return ReportFailure(Kind::kNamespace, name_space, copied.error());
  outcomes_.push_back({.kind = Kind::kNamespace, .name = name_space, .verdict = *copied});
  const std::vector<TableIdentifier> none;
  const auto tables = source_.ListTables(name_space);
  if (!tables) ReportFailure(Kind::kNamespace, name_space, tables.error());
  for (const TableIdentifier& table : tables ? *tables : none) {
    Report(Kind::kTable, table, RegisterTable(table));
  }
  const auto views = source_.ListViews(name_space);
  if (!views) ReportFailure(Kind::kNamespace, name_space, views.error());
  for (const TableIdentifier& view : views ? *views : none) {
    Report(Kind::kView, view, CopyView(view));
  }
  const auto children = source_.ListNamespaces(name_space);
  if (!children) ReportFailure(Kind::kNamespace, name_space, children.error());
  if (children) MoveChildren(name_space, *children);
}

// A catalog that ignores `parent` shows a namespace as its own child, and would for ever.
void Mover::MoveChildren(const Namespace& parent, const std::vector<Namespace>& children) {
  for (const Namespace& child : children) {
    const bool is_child = child.size() == parent.size() + 1 && child.size() <= kLevelsMax &&
                          std::equal(parent.begin(), parent.end(), child.begin());
    if (is_child) {
      MoveNamespace(child);
    } else {
      ReportFailure(Kind::kNamespace, child,
                    {ErrorKind::kInternal,
                     "is shown below a namespace that it is not in, or has too many levels"});
    }
  }
}

Result<Verdict> Mover::CopyNamespace(const Namespace& name_space) {
  BERGLITE_ASSIGN_OR_RETURN(const Document loaded, source_.LoadNamespace(name_space));
  const Result<Document> there = target_.LoadNamespace(name_space);
  if (there) return Verdict::kPresent;
  if (!IsAbsence(there.error())) return there.error();
  if (options_.dry_run) return Verdict::kWould;
  BERGLITE_ASSIGN_OR_RETURN(const Document request, RequestToCreate(name_space, loaded));
  BERGLITE_RETURN_IF_ERROR(target_.CreateNamespace(request));
  return Verdict::kMoved;
}

Result<Outcome> Mover::RegisterTable(const TableIdentifier& table) {
  BERGLITE_ASSIGN_OR_RETURN(const Document loaded, source_.LoadTable(table));
  BERGLITE_ASSIGN_OR_RETURN(const State state, TableStateOf(loaded));
  BERGLITE_ASSIGN_OR_RETURN(const std::optional<State> there,
                            Find(target_.LoadTable(table), TableStateOf));
  if (there && there->uuid != state.uuid) {
    return Outcome{.verdict = Verdict::kSkipped, .reason = "another table has this name there"};
  }
  const bool is_same = there && there->location == state.location;
  if (there && !is_same && !options_.overwrite) {
    return Outcome{.verdict = Verdict::kSkipped,
                   .reason = "is at another version there: " + there->location};
  }
  if (options_.dry_run && !is_same) {
    return Outcome{.verdict = Verdict::kWould, .source_snapshots = state.snapshots};
  }
  if (!is_same) {
    Json request{{"name", table.name}, {"metadata-location", state.location}};
    if (there) request["overwrite"] = true;
    BERGLITE_ASSIGN_OR_RETURN(const Document body, ToDocument(request));
    BERGLITE_RETURN_IF_ERROR(target_.RegisterTable(table.name_space, body));
  }
  BERGLITE_ASSIGN_OR_RETURN(Outcome outcome, Compare(table, state));
  if (is_same && outcome.verdict == Verdict::kMoved) outcome.verdict = Verdict::kPresent;
  const bool has_replaced = there && !is_same && outcome.verdict == Verdict::kMoved;
  if (has_replaced) outcome.reason = "replaces " + there->location;
  return outcome;
}

Result<Outcome> Mover::Compare(const TableIdentifier& table, const State& moved) {
  BERGLITE_ASSIGN_OR_RETURN(const Document here, source_.LoadTable(table));
  BERGLITE_ASSIGN_OR_RETURN(const State source, TableStateOf(here));
  BERGLITE_ASSIGN_OR_RETURN(const Document there, target_.LoadTable(table));
  BERGLITE_ASSIGN_OR_RETURN(const State target, TableStateOf(there));
  Outcome outcome{.verdict = Verdict::kMoved,
                  .source_snapshots = source.snapshots,
                  .target_snapshots = target.snapshots};
  if (source.location != moved.location) {
    outcome.verdict = Verdict::kFailed;
    outcome.reason = "was changed in the source meanwhile; it is now at " + source.location;
  } else if (target.uuid != source.uuid || target.snapshots != source.snapshots) {
    outcome.verdict = Verdict::kFailed;
    outcome.reason = "is not the same there: uuid " + target.uuid + " instead of " + source.uuid;
  }
  return outcome;
}

Result<Outcome> Mover::CopyView(const TableIdentifier& view) {
  BERGLITE_ASSIGN_OR_RETURN(const Document loaded, source_.LoadView(view));
  BERGLITE_ASSIGN_OR_RETURN(const State state, ViewStateOf(loaded));
  BERGLITE_ASSIGN_OR_RETURN(const std::optional<State> there,
                            Find(target_.LoadView(view), ViewStateOf));
  if (there) {
    if (SaysTheSame(*there, state)) return Outcome{.verdict = Verdict::kPresent};
    return Outcome{.verdict = Verdict::kSkipped, .reason = "another view has this name there"};
  }
  if (options_.dry_run) return Outcome{.verdict = Verdict::kWould};
  BERGLITE_RETURN_IF_ERROR(MakeView(view, state));
  return Outcome{.verdict = Verdict::kMoved};
}

// Where the target takes no pointers of views, it is told the view's current version instead.
Status Mover::MakeView(const TableIdentifier& view, const State& state) {
  if (target_.CanRegisterViews()) {
    BERGLITE_ASSIGN_OR_RETURN(
        const Document request,
        ToDocument({{"name", view.name}, {"metadata-location", state.location}}));
    return target_.RegisterView(view.name_space, request);
  }
  BERGLITE_ASSIGN_OR_RETURN(const Document request, RequestToCreate(view.name, state));
  return target_.CreateView(view.name_space, request);
}

}  // namespace

Result<std::vector<Outcome>> Transfer(Endpoint& source, Endpoint& target,
                                      const TransferOptions& options) {
  return Mover(source, target, options).Run();
}

}  // namespace berglite::transfer
