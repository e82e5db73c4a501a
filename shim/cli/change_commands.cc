#include "shim/cli/change_commands.h"

#include <iostream>
#include <memory>
#include <string>

#include <berglite/catalog.h>

#include "shim/cli/catalog_file.h"
#include "shim/cli/names.h"
#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

constexpr const char* kChange = "Change a catalog";

// -- Tables and views ---------------------------------------------------------------------------

Error NoSuchEntry(const TableIdentifier& name) {
  return Error{ErrorKind::kNoSuchTable, "There is no table or view " + FormatName(name)};
}

Result<ExitCode> Register(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier name, ParseTableName(options.arguments.front()));
  if (options.view && options.overwrite) {
    return Error{ErrorKind::kInvalidArgument, "--overwrite is for tables, not for views"};
  }
  const std::string location = LocationOf(options.arguments.back());
  Json request = {{"name", name.name}, {"metadata-location", location}};
  if (options.overwrite) request["overwrite"] = true;
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  if (options.view) {
    BERGLITE_RETURN_IF_ERROR(catalog->RegisterView(name.name_space, MakeDocument(request)));
  } else {
    BERGLITE_RETURN_IF_ERROR(catalog->RegisterTable(name.name_space, MakeDocument(request)));
  }
  if (options.json) {
    PrintJson(Json{{"registered", ToJson(name)}, {"metadata-location", location}});
  }
  return ExitCode::kDone;
}

Result<ExitCode> Unregister(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier name, ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(const Document given_up, catalog->UnregisterTable(name));
  if (options.json) {
    PrintJson(given_up);
  } else {
    std::cout << MemberOf(given_up, "metadata-location").get<std::string>() << '\n';
  }
  return ExitCode::kDone;
}

Result<ExitCode> Rename(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier from, ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier to, ParseTableName(options.arguments.back()));
  const Json request = {{"source", ToJson(from)}, {"destination", ToJson(to)}};
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(const bool is_view, catalog->ViewExists(from));
  const Status renamed = is_view ? catalog->RenameView(MakeDocument(request))
                                 : catalog->RenameTable(MakeDocument(request));
  if (!renamed && renamed.error().kind == ErrorKind::kNoSuchTable) return NoSuchEntry(from);
  BERGLITE_RETURN_IF_ERROR(renamed);
  if (options.json) PrintJson(Json{{"renamed", request}});
  return ExitCode::kDone;
}

// Files elsewhere would stay for good once the table is gone.
Status CheckCanPurge(Catalog& catalog, const TableIdentifier& name) {
  BERGLITE_ASSIGN_OR_RETURN(const bool is_table, catalog.TableExists(name));
  if (!is_table) {
    return Error{ErrorKind::kNoSuchTable, "There is no table " + FormatName(name) + " to purge"};
  }
  BERGLITE_ASSIGN_OR_RETURN(const CheckReport report,
                            catalog.Check({.name_space = name.name_space, .name = name.name}));
  for (const CheckFinding& finding : report.findings) {
    if (finding.code != "outside-locations") continue;
    return Error{ErrorKind::kInvalidArgument,
                 finding.message + "; --warehouse and --allow-location add to them"};
  }
  return {};
}

// Waits for the purge, since this process ends. What cannot be removed now is removed by the next
// server on the file.
Json FinishPurge(Catalog& catalog) {
  const PurgeTotals totals = catalog.FinishPurges();
  if (!totals.obstacle.empty()) {
    std::cerr << "berglite: the files are removed later: " << EscapeControls(totals.obstacle)
              << '\n';
  }
  return Json{{"files-removed", totals.files_removed},
              {"files-kept", totals.files_kept},
              {"files-refused", totals.files_refused}};
}

Result<ExitCode> Drop(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const TableIdentifier name, ParseTableName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  if (options.purge) BERGLITE_RETURN_IF_ERROR(CheckCanPurge(*catalog, name));
  BERGLITE_ASSIGN_OR_RETURN(const bool is_view, catalog->ViewExists(name));
  const Status dropped = is_view ? catalog->DropView(name)
                                 : catalog->DropTable(name, {.purge_requested = options.purge});
  if (!dropped && dropped.error().kind == ErrorKind::kNoSuchTable) return NoSuchEntry(name);
  BERGLITE_RETURN_IF_ERROR(dropped);
  Json answer = {{"dropped", ToJson(name)}};
  if (options.purge) answer["purge"] = FinishPurge(*catalog);
  if (options.json) PrintJson(answer);
  return ExitCode::kDone;
}

// -- Namespaces ---------------------------------------------------------------------------------

// The properties among the arguments, which are checked to be KEY=VALUE, after the name.
Json PropertiesOf(const FileOptions& options) {
  Json properties = Json::object();
  for (size_t i = 1; i < options.arguments.size(); ++i) {
    const std::string& argument = options.arguments[i];
    const size_t equals = argument.find('=');
    properties[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  return properties;
}

// Every namespace of the catalog, each before those below it.
Status AppendNamespaces(Catalog& catalog, const Namespace& parent, Json& list) {
  BERGLITE_ASSIGN_OR_RETURN(const Document spaces, catalog.ListNamespaces(parent, {}));
  for (const Json& levels : MemberOf(spaces, "namespaces")) {
    list.push_back(levels);
    const Status below = AppendNamespaces(catalog, levels.get<Namespace>(), list);
    // It is gone by now, or its name is one that nothing can be done with. (check tells of these.)
    const bool is_no_more = !below && (below.error().kind == ErrorKind::kNoSuchNamespace ||
                                       below.error().kind == ErrorKind::kInvalidArgument);
    if (!below && !is_no_more) return below;
  }
  return {};
}

Result<ExitCode> ListNamespaces(const FileOptions& options) {
  Namespace parent;
  if (!options.arguments.empty()) {
    BERGLITE_ASSIGN_OR_RETURN(parent, ParseName(options.arguments.front()));
  }
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  Json list = Json::array();
  BERGLITE_RETURN_IF_ERROR(AppendNamespaces(*catalog, parent, list));
  if (options.json) {
    PrintJson(Json{{"namespaces", list}});
    return ExitCode::kDone;
  }
  for (const Json& levels : list) std::cout << FormatName(levels.get<Namespace>()) << '\n';
  return ExitCode::kDone;
}

Result<ExitCode> CreateNamespace(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const Namespace name, ParseName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(const Document created,
                            catalog->CreateNamespace(MakeDocument(
                                {{"namespace", name}, {"properties", PropertiesOf(options)}})));
  if (options.json) PrintJson(created);
  return ExitCode::kDone;
}

Result<ExitCode> DropNamespace(const FileOptions& options) {
  BERGLITE_ASSIGN_OR_RETURN(const Namespace name, ParseName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_RETURN_IF_ERROR(catalog->DropNamespace(name));
  if (options.json) PrintJson(Json{{"dropped", {{"namespace", name}}}});
  return ExitCode::kDone;
}

Result<ExitCode> UpdateProperties(const FileOptions& options, const Json& request) {
  BERGLITE_ASSIGN_OR_RETURN(const Namespace name, ParseName(options.arguments.front()));
  BERGLITE_ASSIGN_OR_RETURN(const std::unique_ptr<Catalog> catalog, OpenCatalog(options));
  BERGLITE_ASSIGN_OR_RETURN(const Document updated,
                            catalog->UpdateProperties(name, MakeDocument(request)));
  if (options.json) PrintJson(updated);
  return ExitCode::kDone;
}

Result<ExitCode> SetProperties(const FileOptions& options) {
  return UpdateProperties(options, {{"updates", PropertiesOf(options)}});
}

Result<ExitCode> UnsetProperties(const FileOptions& options) {
  Json keys = Json::array();
  for (size_t i = 1; i < options.arguments.size(); ++i) keys.push_back(options.arguments[i]);
  return UpdateProperties(options, {{"removals", keys}});
}

}  // namespace

CommandGroup ChangeCommands() {
  using Meaning = FileCommand::Meaning;
  const FileCommand::Argument entry = {"NAME", "The table or view, such as sales.orders",
                                       Meaning::kTable};
  return {kChange,
          "",
          "",
          {{"register",
            "Add a table by its metadata file",
            {{"NAME", "Its name, such as sales.orders", Meaning::kTable},
             {"METADATA", "Its metadata file, a path or file: URI"}},
            {{"--overwrite", "Where there is such a table, let it have this metadata",
              &FileOptions::overwrite},
             {"--view", "It is a view", &FileOptions::view}},
            Register},
           {"unregister",
            "Remove a table and print where its metadata is; all its files stay",
            {{"TABLE", "The table, such as sales.orders", Meaning::kTable}},
            {},
            Unregister},
           {"rename",
            "Give a table or view another name, also in another namespace",
            {entry, {"TO", "Its new name", Meaning::kTable}},
            {},
            Rename},
           {"drop",
            "Remove a table or view; its files stay, unless purged",
            {entry},
            {{"--purge", "Remove the files of the table too, but for those that others need",
              &FileOptions::purge}},
            Drop}}};
}

CommandGroup NamespaceCommands() {
  using Meaning = FileCommand::Meaning;
  using Count = FileCommand::Count;
  const FileCommand::Argument name = {"NAMESPACE", "The namespace, such as sales or sales.eu",
                                      Meaning::kName};
  return {kChange,
          "namespaces",
          "List, create or drop namespaces, or change their properties",
          {{"list",
            "List all namespaces, or those below one",
            {{"NAMESPACE", "The namespace, such as sales", Meaning::kName, Count::kNoneOrOne}},
            {},
            ListNamespaces},
           {"create",
            "Create a namespace, and those above it that are missing",
            {name, {"PROPERTY", "A property, as KEY=VALUE", Meaning::kProperty, Count::kAny}},
            {},
            CreateNamespace},
           {"drop", "Drop a namespace, which must be empty", {name}, {}, DropNamespace},
           {"set",
            "Set properties of a namespace",
            {name, {"PROPERTY", "A property, as KEY=VALUE", Meaning::kProperty, Count::kSome}},
            {},
            SetProperties},
           {"unset",
            "Remove properties of a namespace",
            {name, {"KEY", "The name of a property", Meaning::kText, Count::kSome}},
            {},
            UnsetProperties}}};
}

}  // namespace berglite::cli
