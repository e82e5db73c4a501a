#include "shim/cli/describe.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "shim/cli/names.h"
#include "shim/cli/text.h"

namespace berglite::cli {
namespace {

using Json = nlohmann::json;

// The member; null where it is absent.
const Json& Member(const Json& object, const char* key) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

std::string Text(const Json& value) {
  if (value.is_null()) return "-";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string TextOf(const Json& object, const char* key) { return Text(Member(object, key)); }

std::optional<int64_t> Integer(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<int64_t>();
}

// A number, or a text of one as the summaries of snapshots have it.
std::optional<int64_t> Count(const Json& value) {
  if (!value.is_string()) return Integer(value);
  const Json parsed = Json::parse(value.get_ref<const std::string&>(), nullptr, false);
  return Integer(parsed);
}

std::string TimeOf(const Json& object, const char* key) {
  const std::optional<int64_t> ms = Integer(Member(object, key));
  return ms ? FormatTime(*ms) : "-";
}

std::string BytesOf(const Json& object, const char* key) {
  const std::optional<int64_t> bytes = Count(Member(object, key));
  return bytes ? FormatBytes(*bytes) : "-";
}

// The element of the list whose member `key` is `id`; null where there is none.
const Json& FindById(const Json& list, const char* key, const Json& id) {
  static const Json kNull;
  if (!list.is_array() || id.is_null()) return kNull;
  for (const Json& element : list) {
    if (Member(element, key) == id) return element;
  }
  return kNull;
}

// What is in use, of a list of a table; format version 1 may have it under a name of its own.
const Json& InUse(const Json& metadata, const char* list, const char* id_key, const char* id,
                  const char* version1) {
  const Json& found = FindById(Member(metadata, list), id_key, Member(metadata, id));
  return found.is_null() ? Member(metadata, version1) : found;
}

const Json& CurrentSchema(const Json& metadata) {
  return InUse(metadata, "schemas", "schema-id", "current-schema-id", "schema");
}

const Json& CurrentSnapshot(const Json& metadata) {
  return FindById(Member(metadata, "snapshots"), "snapshot-id",
                  Member(metadata, "current-snapshot-id"));
}

// As `map<string, list<long>>`.
std::string TypeText(const Json& type) {
  if (type.is_string()) return type.get<std::string>();
  const std::string kind = TextOf(type, "type");
  if (kind == "list") return "list<" + TypeText(Member(type, "element")) + ">";
  if (kind == "map") {
    return "map<" + TypeText(Member(type, "key")) + ", " + TypeText(Member(type, "value")) + ">";
  }
  std::string text = kind + "<";
  for (const Json& field : Member(type, "fields")) {
    if (text.back() != '<') text += ", ";
    text += TextOf(field, "id") + ": " + TextOf(field, "name") + ": " +
            (Member(field, "required") == true ? "required " : "") +
            TypeText(Member(field, "type"));
  }
  return text + ">";
}

bool Holds(const Json& list, const Json& value) {
  if (!list.is_array()) return false;
  return std::find(list.begin(), list.end(), value) != list.end();
}

void PrintSchema(std::ostream& out, const Json& schema) {
  out << "Schema " << TextOf(schema, "schema-id") << ":\n";
  TextTable table;
  for (const Json& field : Member(schema, "fields")) {
    const bool is_identifier = Holds(Member(schema, "identifier-field-ids"), Member(field, "id"));
    std::string rules = Member(field, "required") == true ? "required" : "optional";
    if (is_identifier) rules += ", identifier";
    const Json& doc = Member(field, "doc");
    table.Add({TextOf(field, "id"), TextOf(field, "name"), TypeText(Member(field, "type")), rules,
               doc.is_string() ? doc.get<std::string>() : ""});
  }
  table.Print(out, "  ");
}

// The fields of a partition spec or sort order, under `title`; `none` where it has none.
void PrintFields(std::ostream& out, const char* title, const Json& id, const Json& fields,
                 const Json& schema, const char* none) {
  if (!fields.is_array() || fields.empty()) {
    out << title << ": " << none << '\n';
    return;
  }
  out << title << ' ' << Text(id) << ":\n";
  TextTable table;
  for (const Json& field : fields) {
    const Json& source = Member(field, "source-id");
    const Json& column = FindById(Member(schema, "fields"), "id", source);
    const std::string name = column.is_null() ? Text(source) : TextOf(column, "name");
    const std::string transform = EscapeControls(TextOf(field, "transform"));
    table.Add({transform == "identity" ? name : transform + "(" + name + ")",
               field.contains("name")
                   ? "as " + TextOf(field, "name")
                   : TextOf(field, "direction") + " " + TextOf(field, "null-order")});
  }
  table.Print(out, "  ");
}

void PrintLayout(std::ostream& out, const Json& metadata) {
  const Json& schema = CurrentSchema(metadata);
  PrintSchema(out, schema);
  const Json& spec =
      InUse(metadata, "partition-specs", "spec-id", "default-spec-id", "partition-spec");
  PrintFields(out, "Partition spec", Member(spec, "spec-id"),
              spec.is_array() ? spec : Member(spec, "fields"), schema, "none");
  const Json& order = InUse(metadata, "sort-orders", "order-id", "default-sort-order-id", "");
  PrintFields(out, "Sort order", Member(order, "order-id"), Member(order, "fields"), schema,
              "none");
}

void PrintProperties(std::ostream& out, const char* title, const Json& properties) {
  if (!properties.is_object() || properties.empty()) return;
  out << title << ":\n";
  TextTable table;
  for (const auto& [key, value] : properties.items()) table.Add({key, Text(value)});
  table.Print(out, "  ");
}

void PrintSnapshots(std::ostream& out, const Json& metadata) {
  const Json& snapshots = Member(metadata, "snapshots");
  if (!snapshots.is_array() || snapshots.empty()) {
    out << "Snapshots: none\n";
    return;
  }
  PrintProperties(out, "Summary of the current snapshot",
                  Member(CurrentSnapshot(metadata), "summary"));
  out << "Snapshots:\n";
  TextTable table({"ID", "PARENT", "TIME", "OPERATION", "RECORDS", "FILES", "SIZE"});
  for (const Json& snapshot : snapshots) {
    const Json& summary = Member(snapshot, "summary");
    table.Add({TextOf(snapshot, "snapshot-id"), TextOf(snapshot, "parent-snapshot-id"),
               TimeOf(snapshot, "timestamp-ms"), TextOf(summary, "operation"),
               TextOf(summary, "total-records"), TextOf(summary, "total-data-files"),
               BytesOf(summary, "total-files-size")});
  }
  table.Print(out, "  ");
}

void PrintRefs(std::ostream& out, const Json& refs) {
  if (!refs.is_object() || refs.empty()) return;
  out << "References:\n";
  TextTable table;
  for (const auto& [name, ref] : refs.items()) {
    table.Add({name, TextOf(ref, "type"), TextOf(ref, "snapshot-id")});
  }
  table.Print(out, "  ");
}

// What tables and views begin with.
void PrintHead(std::ostream& out, const char* kind, const std::string& name, const Json& loaded,
               const char* uuid_key) {
  const Json& metadata = Member(loaded, "metadata");
  TextTable head;
  head.Add({std::string(kind) + ":", name});
  head.Add({"Format version:", TextOf(metadata, "format-version")});
  head.Add({"UUID:", TextOf(metadata, uuid_key)});
  head.Add({"Location:", TextOf(metadata, "location")});
  head.Add({"Metadata file:", TextOf(loaded, "metadata-location")});
  if (metadata.contains("last-updated-ms")) {
    head.Add({"Last updated:", TimeOf(metadata, "last-updated-ms")});
    const Json& snapshot = CurrentSnapshot(metadata);
    head.Add({"Current snapshot:", snapshot.is_null() ? "none" : TextOf(snapshot, "snapshot-id")});
  }
  head.Print(out);
}

// SQL is for reading: its line breaks stay.
void PrintSql(std::ostream& out, const Json& representation) {
  out << "SQL (" << EscapeControls(TextOf(representation, "dialect")) << "):\n";
  const std::string sql = TextOf(representation, "sql");
  std::string_view rest = sql;
  while (!rest.empty()) {
    const size_t size = std::min(rest.find('\n'), rest.size());
    out << "  " << EscapeControls(rest.substr(0, size)) << '\n';
    rest.remove_prefix(std::min(size + 1, rest.size()));
  }
}

const Json& CurrentVersion(const Json& metadata) {
  return FindById(Member(metadata, "versions"), "version-id",
                  Member(metadata, "current-version-id"));
}

void PrintVersionLog(std::ostream& out, const Json& metadata) {
  out << "Versions:\n";
  TextTable table({"TIME", "VERSION"});
  for (const Json& entry : Member(metadata, "version-log")) {
    table.Add({TimeOf(entry, "timestamp-ms"), TextOf(entry, "version-id")});
  }
  table.Print(out, "  ");
}

}  // namespace

void DescribeTable(std::ostream& out, const std::string& name, const Json& loaded) {
  const Json& metadata = Member(loaded, "metadata");
  PrintHead(out, "Table", name, loaded, "table-uuid");
  PrintLayout(out, metadata);
  PrintSnapshots(out, metadata);
  PrintRefs(out, Member(metadata, "refs"));
  PrintProperties(out, "Properties", Member(metadata, "properties"));
}

void DescribeView(std::ostream& out, const std::string& name, const Json& loaded) {
  const Json& metadata = Member(loaded, "metadata");
  const Json& version = CurrentVersion(metadata);
  PrintHead(out, "View", name, loaded, "view-uuid");
  PrintSchema(out,
              FindById(Member(metadata, "schemas"), "schema-id", Member(version, "schema-id")));
  for (const Json& representation : Member(version, "representations")) {
    PrintSql(out, representation);
  }
  PrintVersionLog(out, metadata);
  PrintProperties(out, "Properties", Member(metadata, "properties"));
}

void DescribeNamespace(std::ostream& out, const std::string& name, const Json& loaded) {
  TextTable head;
  head.Add({"Namespace:", name});
  head.Print(out);
  PrintProperties(out, "Properties", Member(loaded, "properties"));
}

Json HistoryOf(const Json& loaded) {
  const Json& metadata = Member(loaded, "metadata");
  Json history = {{"metadata-location", Member(loaded, "metadata-location")}};
  for (const char* log : {"snapshot-log", "version-log", "metadata-log"}) {
    if (metadata.contains(log)) history[log] = metadata[log];
  }
  return history;
}

void DescribeHistory(std::ostream& out, const Json& loaded) {
  const Json& metadata = Member(loaded, "metadata");
  if (metadata.contains("version-log")) return PrintVersionLog(out, metadata);
  out << "Snapshots:\n";
  TextTable snapshots({"TIME", "SNAPSHOT", "OPERATION", "RECORDS"});
  for (const Json& entry : Member(metadata, "snapshot-log")) {
    const Json& id = Member(entry, "snapshot-id");
    const Json& summary =
        Member(FindById(Member(metadata, "snapshots"), "snapshot-id", id), "summary");
    snapshots.Add({TimeOf(entry, "timestamp-ms"), Text(id), TextOf(summary, "operation"),
                   TextOf(summary, "total-records")});
  }
  snapshots.Print(out, "  ");
  out << "Metadata files:\n";
  TextTable files({"TIME", "FILE"});
  for (const Json& entry : Member(metadata, "metadata-log")) {
    files.Add({TimeOf(entry, "timestamp-ms"), TextOf(entry, "metadata-file")});
  }
  files.Add({TimeOf(metadata, "last-updated-ms"), TextOf(loaded, "metadata-location")});
  files.Print(out, "  ");
}

Figures FiguresOf(const Json& loaded) {
  const Json& metadata = Member(loaded, "metadata");
  const Json& summary = Member(CurrentSnapshot(metadata), "summary");
  const Json& last_version = CurrentVersion(metadata);
  Figures figures{.format = TextOf(metadata, "format-version"),
                  .records = TextOf(summary, "total-records"),
                  .bytes = BytesOf(summary, "total-files-size"),
                  .updated = TimeOf(metadata, "last-updated-ms"),
                  .location = TextOf(metadata, "location")};
  if (!last_version.is_null()) figures.updated = TimeOf(last_version, "timestamp-ms");
  return figures;
}

}  // namespace berglite::cli
