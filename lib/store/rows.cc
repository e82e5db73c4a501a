#include "lib/store/rows.h"

#include <array>
#include <string_view>
#include <utility>

#include "lib/store/schema.h"

namespace berglite::store {
namespace {

// The property that stands for the existence of a namespace. It is never shown.
constexpr std::string_view kExistsProperty = "exists";

constexpr std::string_view kTableType = "TABLE";
constexpr std::string_view kViewType = "VIEW";

std::string_view TypeOf(EntryKind kind) {
  return kind == EntryKind::kTable ? kTableType : kViewType;
}

EntryKind KindOf(std::string_view type) {
  if (type == kTableType) return EntryKind::kTable;
  return type == kViewType ? EntryKind::kView : EntryKind::kOther;
}

bool IsAfter(std::string_view name, const std::optional<std::string>& after) {
  return !after || name > *after;
}

std::string FirstLevel(std::string_view plain_text) {
  return std::string(plain_text.substr(0, plain_text.find('.')));
}

// One row is changed where the condition of the statement held.
Result<bool> IsOneRow(Result<int64_t> changed) {
  BERGLITE_ASSIGN_OR_RETURN(int64_t count, std::move(changed));
  return count == 1;
}

}  // namespace

Result<std::optional<std::string>> CatalogRows::Seek(const TextRange& range) {
  sqlite::Rows rows = seek_.Query(catalog_name_, range.begin, range.end);
  BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
  if (!found || rows.IsNull(0)) return std::optional<std::string>();
  std::string text = rows.Text(0);
  if (text < range.begin) return RowsOutOfOrder();
  return std::optional(std::move(text));
}

Result<bool> CatalogRows::NamespaceExists(const Namespace& name_space) {
  std::string text = NamespaceToText(name_space);
  BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> found, Seek({text, After(text)}));
  if (!found && IsPlain(name_space)) {
    BERGLITE_ASSIGN_OR_RETURN(found, Seek(PlainDescendants(name_space)));
  }
  if (!found) {
    BERGLITE_ASSIGN_OR_RETURN(found, Seek(EncodedDescendants(name_space)));
  }
  return found.has_value();
}

Result<std::optional<Properties>> CatalogRows::FindNamespace(const Namespace& name_space) {
  Properties properties;
  bool has_rows = false;
  {
    sqlite::Rows rows = properties_.Query(catalog_name_, NamespaceToText(name_space));
    BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
    while (more) {
      has_rows = true;
      std::string key = rows.Text(0);
      if (key != kExistsProperty) properties.emplace(std::move(key), rows.Text(1));
      BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
    }
  }
  if (!has_rows) {
    BERGLITE_ASSIGN_OR_RETURN(bool exists, NamespaceExists(name_space));
    if (!exists) return std::optional<Properties>();
  }
  return std::optional<Properties>(std::move(properties));
}

Result<NamespaceContents> CatalogRows::CountContents(const Namespace& name_space) {
  NamespaceContents contents;
  BERGLITE_ASSIGN_OR_RETURN(std::vector<std::string> children,
                            ListChildren(name_space, std::nullopt, 0));
  contents.child_namespaces = static_cast<int64_t>(children.size());
  sqlite::Rows rows = count_entries_.Query(catalog_name_, NamespaceToText(name_space));
  BERGLITE_RETURN_IF_ERROR(rows.Next());
  contents.tables = rows.Integer(0);
  contents.views = rows.Integer(1);
  BERGLITE_ASSIGN_OR_RETURN(contents.functions, functions_.Count(name_space));
  return contents;
}

// Merges the children with plain texts, found one by one, and those in encoded texts.
Result<std::vector<std::string>> CatalogRows::ListChildren(const Namespace& parent,
                                                           const std::optional<std::string>& after,
                                                           size_t limit) {
  BERGLITE_ASSIGN_OR_RETURN(std::set<std::string> encoded, EncodedChildren(parent, after));
  std::optional<std::string> plain;
  if (IsPlain(parent)) {
    BERGLITE_ASSIGN_OR_RETURN(plain, NextPlainChild(parent, after));
  }
  std::vector<std::string> names;
  while ((plain || !encoded.empty()) && (limit == 0 || names.size() < limit)) {
    bool take_plain = plain && (encoded.empty() || *plain <= *encoded.begin());
    names.push_back(take_plain ? *plain : *encoded.begin());
    encoded.erase(names.back());
    if (take_plain) {
      BERGLITE_ASSIGN_OR_RETURN(plain, NextPlainChild(parent, names.back()));
    }
  }
  return names;
}

// Texts in byte order do not give children in byte order: `a.b` (which makes `a` exist) comes after
// `a-c`, because `-` comes before `.`. Two things follow. Texts after that of `after` may belong to
// children before it, which are passed over; and a child may be hidden behind the one found.
Result<std::optional<std::string>> CatalogRows::NextPlainChild(
    const Namespace& parent, const std::optional<std::string>& after) {
  TextRange range = PlainDescendants(parent);
  const std::string prefix = parent.empty() ? "" : range.begin;
  if (after) range.begin = After(prefix + *after);
  while (true) {
    BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> text, Seek(range));
    if (!text) return text;
    if (text->starts_with(kEncodedMarker)) {
      range.begin = AfterPrefix(std::string(kEncodedMarker));
      continue;
    }
    std::string child = FirstLevel(std::string_view(*text).substr(prefix.size()));
    if (IsAfter(child, after)) {
      BERGLITE_ASSIGN_OR_RETURN(child, ShortestChild(prefix, child, after));
      return std::optional<std::string>(std::move(child));
    }
    range.begin = AfterPrefix(prefix + child + '.');
  }
}

// A hidden child has no row of its own, so its texts begin with its name and a dot. They come later
// than those of `child` only where `child` is that name followed by a character before the dot.
Result<std::string> CatalogRows::ShortestChild(const std::string& prefix, const std::string& child,
                                               const std::optional<std::string>& after) {
  for (size_t size = 0; size < child.size(); ++size) {
    if (static_cast<unsigned char>(child[size]) >= '.') continue;
    std::string hidden = child.substr(0, size);
    if (hidden.empty() || !IsAfter(hidden, after)) continue;
    std::string descendants = prefix + hidden + '.';
    BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> found,
                              Seek({descendants, AfterPrefix(descendants)}));
    if (found) return hidden;
  }
  return child;
}

// Quoting changes the order of names in ways not worth following: namespaces with dots are few, so
// all of them are read.
Result<std::set<std::string>> CatalogRows::EncodedChildren(
    const Namespace& parent, const std::optional<std::string>& after) {
  std::set<std::string> children;
  TextRange range = EncodedDescendants(parent);
  const std::string prefix = range.begin;
  while (true) {
    BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> text, Seek(range));
    if (!text) return children;
    std::optional<Namespace> name_space = NamespaceFromText(*text);
    range.begin = After(*text);
    if (!name_space || name_space->size() <= parent.size()) continue;
    const std::string& child = (*name_space)[parent.size()];
    if (IsAfter(child, after)) children.insert(child);
    // Past all that is below the child: its quoted name is followed by `,` or `]`.
    std::string past = prefix + QuoteAsGo(child) + static_cast<char>(']' + 1);
    if (past > range.begin) range.begin = std::move(past);
  }
}

Result<std::vector<std::string>> CatalogRows::ListEntries(const Namespace& name_space,
                                                          EntryKind kind,
                                                          const std::optional<std::string>& after,
                                                          size_t limit) {
  constexpr int64_t kNoLimit = -1;
  return sqlite::ReadTexts(list_entries_.Query(
      catalog_name_, NamespaceToText(name_space), TypeOf(kind), after ? After(*after) : "",
      limit == 0 ? kNoLimit : static_cast<int64_t>(limit)));
}

Result<bool> CatalogRows::IsPointedAt(const std::string& metadata_location) {
  sqlite::Rows rows = is_pointed_at_.Query(metadata_location);
  BERGLITE_RETURN_IF_ERROR(rows.Next());
  return rows.Integer(0) != 0;
}

Result<std::optional<Entry>> CatalogRows::FindEntry(const EntryKey& key) {
  sqlite::Rows rows = find_entry_.Query(catalog_name_, NamespaceToText(key.name_space), key.name);
  BERGLITE_ASSIGN_OR_RETURN(bool found, rows.Next());
  if (!found) return std::optional<Entry>();
  return std::optional(Entry{KindOf(rows.Text(0)), rows.Text(1)});
}

Status CatalogRows::InsertNamespace(const Namespace& name_space, const Properties& properties) {
  BERGLITE_RETURN_IF_ERROR(MarkNamespace(name_space));
  return PutProperties(NamespaceToText(name_space), properties);
}

Status CatalogRows::SetNamespaceProperties(const Namespace& name_space, const Properties& updates,
                                           const std::vector<std::string>& removals) {
  // A namespace that only a table's row names gets rows of its own by this.
  BERGLITE_RETURN_IF_ERROR(MarkNamespace(name_space));
  const std::string text = NamespaceToText(name_space);
  for (const std::string& key : removals) {
    if (key == kExistsProperty) continue;
    BERGLITE_RETURN_IF_ERROR(delete_property_.Change(catalog_name_, text, key));
  }
  return PutProperties(text, updates);
}

Status CatalogRows::DeleteNamespace(const Namespace& name_space) {
  BERGLITE_RETURN_IF_ERROR(delete_namespace_.Change(catalog_name_, NamespaceToText(name_space)));
  return {};
}

Status CatalogRows::MarkNamespace(const Namespace& name_space) {
  Namespace prefix;
  for (const std::string& level : name_space) {
    prefix.push_back(level);
    BERGLITE_RETURN_IF_ERROR(mark_namespace_.Change(catalog_name_, NamespaceToText(prefix)));
  }
  return {};
}

Status CatalogRows::PutProperties(const std::string& namespace_text, const Properties& properties) {
  for (const auto& [key, value] : properties) {
    if (key == kExistsProperty) continue;
    BERGLITE_RETURN_IF_ERROR(put_property_.Change(catalog_name_, namespace_text, key, value));
  }
  return {};
}

Result<bool> CatalogRows::InsertEntry(const EntryKey& key, const Entry& entry) {
  return IsOneRow(insert_entry_.Change(catalog_name_, NamespaceToText(key.name_space), key.name,
                                       TypeOf(entry.kind), entry.metadata_location));
}

Result<bool> CatalogRows::MovePointer(const EntryKey& key, EntryKind kind, const std::string& from,
                                      const std::string& to) {
  return IsOneRow(move_pointer_.Change(catalog_name_, NamespaceToText(key.name_space), key.name,
                                       TypeOf(kind), from, to));
}

Result<bool> CatalogRows::DeleteEntry(const EntryKey& key, EntryKind kind) {
  return IsOneRow(
      delete_entry_.Change(catalog_name_, NamespaceToText(key.name_space), key.name, TypeOf(kind)));
}

Result<bool> CatalogRows::RenameEntry(const EntryKey& from, const EntryKey& to, EntryKind kind) {
  return IsOneRow(rename_entry_.Change(catalog_name_, NamespaceToText(from.name_space), from.name,
                                       TypeOf(kind), NamespaceToText(to.name_space), to.name));
}

Status CatalogRows::VisitPointers(
    const std::function<Status(PointerKind, const std::string&)>& visit) {
  sqlite::Rows rows = visit_pointers_.Query();
  BERGLITE_ASSIGN_OR_RETURN(bool more, rows.Next());
  while (more) {
    constexpr std::array kKinds = {PointerKind::kLive, PointerKind::kOther, PointerKind::kOwed};
    BERGLITE_RETURN_IF_ERROR(visit(kKinds.at(static_cast<size_t>(rows.Integer(0))), rows.Text(1)));
    BERGLITE_ASSIGN_OR_RETURN(more, rows.Next());
  }
  return {};
}

Status CatalogRows::PutFunction(const EntryKey& key, const std::string& metadata_location) {
  BERGLITE_RETURN_IF_ERROR(MarkNamespace(key.name_space));
  return functions_.Put(key, metadata_location);
}

Status CatalogRows::Touch() { return WriteBarrier(connection_); }

}  // namespace berglite::store
