#include "shim/cli/browse_commands.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <berglite/catalog.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/describe.h"
#include "shim/cli/names.h"
#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

enum class Kind { kNamespace, kTable, kView };

const char* NameOf(Kind kind) {
  if (kind == Kind::kNamespace) return "namespace";
  return kind == Kind::kTable ? "table" : "view";
}

Result<Json> LoadEntry(Catalog& catalog, Kind kind, const TableIdentifier& name) {
  if (kind == Kind::kTable) {
    BERGLITE_ASSIGN_OR_RETURN(const LoadedTable table, catalog.LoadTable(name, {}));
    return ParseDocument(*table.body);
  }
  BERGLITE_ASSIGN_OR_RETURN(const Document view, catalog.LoadView(name));
  return ParseDocument(view);
}

// Splits a name of two levels or more, which ParseName has accepted.
TableIdentifier ToTableIdentifier(Namespace levels) {
  TableIdentifier name{std::move(levels), {}};
  name.name = std::move(name.name_space.back());
  name.name_space.pop_back();
  return name;
}

// -- ls -----------------------------------------------------------------------------------------

struct Listed {
  Kind kind;
  Namespace name;
};

// Whether a namespace that was listed a moment ago may be passed over: it is gone, or its name is
// one that nothing can be done with. (check tells of these.)
bool IsNoMore(const Error& error) {
  return error.kind == ErrorKind::kNoSuchNamespace || error.kind == ErrorKind::kInvalidArgument;
}

// What is directly in `parent`: namespaces, tables and views, each in the order of names.
Status ListOne(Catalog& catalog, const Namespace& parent, bool recursive,
               std::vector<Listed>& list) {
  BERGLITE_ASSIGN_OR_RETURN(const Document spaces, catalog.ListNamespaces(parent, {}));
  for (const Json& levels : MemberOf(spaces, "namespaces")) {
    const auto name = levels.get<Namespace>();
    list.push_back({Kind::kNamespace, name});
    if (!recursive) continue;
    const Status below = ListOne(catalog, name, recursive, list);
    if (!below && !IsNoMore(below.error())) return below;
  }
  if (parent.empty()) return {};
  for (const Kind kind : {Kind::kTable, Kind::kView}) {
    BERGLITE_ASSIGN_OR_RETURN(const Document entries, kind == Kind::kTable
                                                          ? catalog.ListTables(parent, {})
                                                          : catalog.ListViews(parent, {}));
    for (const Json& entry : MemberOf(entries, "identifiers")) {
      Namespace name = parent;
      name.push_back(entry["name"].get<std::string>());
      list.push_back({kind, std::move(name)});
    }
  }
  return {};
}

// The row of a table or view; where its metadata cannot be read, that goes to `errors`.
std::vector<std::string> LongRow(Catalog& catalog, const Listed& listed,
                                 std::vector<Error>& errors) {
  std::vector<std::string> row{NameOf(listed.kind), FormatName(listed.name)};
  if (listed.kind == Kind::kNamespace) return row;
  const Result<Json> loaded = LoadEntry(catalog, listed.kind, ToTableIdentifier(listed.name));
  if (!loaded) {
    errors.push_back(loaded.error());
    row.emplace_back("unreadable");
    return row;
  }
  const Figures figures = FiguresOf(*loaded);
  row.insert(row.end(), {"v" + figures.format, figures.records, figures.bytes, figures.updated,
                         figures.location});
  return row;
}

// Returns kRefused where the metadata of an entry cannot be read; the others are shown.
ExitCode PrintLong(Catalog& catalog, const std::vector<Listed>& list) {
  TextTable table({"TYPE", "NAME", "FORMAT", "RECORDS", "SIZE", "UPDATED", "LOCATION"});
  std::vector<Error> errors;
  {
    Progress progress("Reading metadata:");
    for (size_t i = 0; i < list.size(); ++i) {
      progress.Show(i, list.size());
      table.Add(LongRow(catalog, list[i], errors));
    }
  }
  table.Print(std::cout);
  std::cout.flush();
  for (const Error& error : errors) Fail(error);
  return errors.empty() ? ExitCode::kDone : ExitCode::kRefused;
}

Result<ExitCode> List(const FileOptions& options) {
  Namespace parent;
  if (!options.arguments.empty()) {
    BERGLITE_ASSIGN_OR_RETURN(parent, ParseName(options.arguments.front()));
  }
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  std::vector<Listed> list;
  BERGLITE_RETURN_IF_ERROR(ListOne(*catalog, parent, options.recursive, list));
  if (options.json) {
    Json entries = Json::array();
    for (const Listed& listed : list) {
      entries.push_back({{"type", NameOf(listed.kind)}, {"name", listed.name}});
    }
    PrintJson(Json{{"entries", std::move(entries)}});
    return ExitCode::kDone;
  }
  if (options.long_form) return PrintLong(*catalog, list);
  for (const Listed& listed : list) std::cout << FormatName(listed.name) << '\n';
  return ExitCode::kDone;
}

// -- show and history ---------------------------------------------------------------------------

struct Found {
  Kind kind;
  Json loaded;
};

bool IsNoSuch(const Error& error) {
  return error.kind == ErrorKind::kNoSuchTable || error.kind == ErrorKind::kNoSuchView ||
         error.kind == ErrorKind::kNoSuchNamespace;
}

// The table or view of that name, or else the namespace.
Result<Found> FindAny(Catalog& catalog, const Namespace& levels) {
  if (levels.size() > 1) {
    for (const Kind kind : {Kind::kTable, Kind::kView}) {
      Result<Json> loaded = LoadEntry(catalog, kind, ToTableIdentifier(levels));
      if (loaded) return Found{kind, *std::move(loaded)};
      if (!IsNoSuch(loaded.error())) return loaded.error();
    }
  }
  const Result<Document> loaded = catalog.LoadNamespaceMetadata(levels);
  if (loaded) return Found{Kind::kNamespace, ParseDocument(*loaded)};
  if (!IsNoSuch(loaded.error())) return loaded.error();
  return Error{ErrorKind::kNoSuchNamespace,
               "There is no table, view or namespace " + FormatName(levels)};
}

Result<ExitCode> Show(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const Namespace levels, ParseName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(const Found found, FindAny(*catalog, levels));
  const std::string name = FormatName(levels);
  if (options.json) {
    PrintJson(found.loaded);
  } else if (found.kind == Kind::kTable) {
    DescribeTable(std::cout, name, found.loaded);
  } else if (found.kind == Kind::kView) {
    DescribeView(std::cout, name, found.loaded);
  } else {
    DescribeNamespace(std::cout, name, found.loaded);
  }
  return ExitCode::kDone;
}

Result<ExitCode> History(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier name, ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  Result<Json> loaded = LoadEntry(*catalog, Kind::kTable, name);
  if (!loaded && loaded.error().kind == ErrorKind::kNoSuchTable) {
    loaded = LoadEntry(*catalog, Kind::kView, name);
  }
  if (!loaded && loaded.error().kind == ErrorKind::kNoSuchView) {
    return Error{ErrorKind::kNoSuchTable, "There is no table or view " + FormatName(name)};
  }
  BERGLITE_RETURN_IF_ERROR(loaded);
  if (options.json) {
    PrintJson(HistoryOf(*loaded));
  } else {
    DescribeHistory(std::cout, *loaded);
  }
  return ExitCode::kDone;
}

// -- metrics ------------------------------------------------------------------------------------

Result<ExitCode> Metrics(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier table, ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(const std::vector<MetricsReport> reports, catalog->ListMetrics(table));
  Json list = Json::array();
  for (const MetricsReport& report : reports) {
    if (options.json) {
      list.push_back(
          {{"received-ms", report.received_ms}, {"report", ParseDocument(report.report)}});
    } else {
      std::cout << FormatTime(report.received_ms) << ' '
                << EscapeControls(ParseDocument(report.report).dump()) << '\n';
    }
  }
  if (options.json) PrintJson(Json{{"reports", std::move(list)}});
  return ExitCode::kDone;
}

}  // namespace

CommandGroup BrowseCommands() {
  using Meaning = FileCommand::Meaning;
  using Count = FileCommand::Count;
  return {"Look at a catalog",
          "",
          "",
          {{"ls",
            "List namespaces, or what is in one",
            {{"NAMESPACE", "The namespace, such as sales", Meaning::kName, Count::kNoneOrOne}},
            {{"-l,--long", "With format, records, size, time and location of tables and views",
              &FileOptions::long_form},
             {"-r,--recursive", "Also what is in the namespaces below", &FileOptions::recursive}},
            List},
           {"show",
            "Describe a table, view or namespace",
            {{"NAME", "Its name, such as sales.orders", Meaning::kName}},
            {},
            Show},
           {"history",
            "Show the snapshots and metadata files of a table, or the versions of a view, in time",
            {{"NAME", "The table or view, such as sales.orders", Meaning::kTable}},
            {},
            History},
           {"metrics",
            "Show the last metrics reports of clients on a table",
            {{"TABLE", "The table, such as sales.orders", Meaning::kTable}},
            {},
            Metrics}}};
}

}  // namespace berglite::cli
