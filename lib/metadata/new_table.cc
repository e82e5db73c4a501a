// NewTableMetadata: a table as a CreateTableRequest describes it.
#include <array>
#include <chrono>
#include <cstdio>
#include <utility>

#include "lib/base/uuid.h"
#include "lib/metadata/errors.h"
#include "lib/metadata/keys.h"
#include "lib/metadata/partition_spec.h"
#include "lib/metadata/schema.h"
#include "lib/metadata/sort_order.h"
#include "lib/metadata/table_document.h"
#include "lib/metadata/table_metadata.h"
#include "lib/metadata/text.h"

namespace berglite::metadata {
namespace {

// What a table tells of itself under names that look like properties. They are never stored.
constexpr const char* kReservedProperties[] = {
    keys::kFormatVersion,       "uuid",
    "snapshot-count",           "current-snapshot-id",
    "current-snapshot-summary", "current-snapshot-timestamp-ms",
    "current-schema",           "default-partition-spec",
    "default-sort-order"};
constexpr const char* kRetryProperties[] = {"commit.retry.num-retries", "commit.retry.min-wait-ms",
                                            "commit.retry.max-wait-ms",
                                            "commit.retry.total-timeout-ms"};
constexpr std::string_view kMetricsColumnPrefix = "write.metadata.metrics.column.";
constexpr char kParquetCodecProperty[] = "write.parquet.compression-codec";
constexpr char kEncryptionProperty[] = "encryption.key-id";
constexpr int32_t kEncryptionVersionMin = 3;
constexpr char kCreatedAtProperty[] = "created-at";

// A time as ISO 8601 has it, in UTC: 2023-11-14T22:13:20.000Z.
std::string IsoTime(int64_t now_ms) {
  using std::chrono::floor;
  std::chrono::sys_time<std::chrono::milliseconds> time{std::chrono::milliseconds(now_ms)};
  auto day = floor<std::chrono::days>(time);
  std::chrono::year_month_day date(day);
  std::chrono::hh_mm_ss clock(time - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02d.%03dZ",
                static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()), static_cast<int>(clock.hours().count()),
                static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()),
                static_cast<int>(clock.subseconds().count()));
  return text.data();
}

Result<int32_t> FormatVersionOf(const Json& properties) {
  BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> text,
                            FindString(properties, keys::kFormatVersion));
  if (!text) return kFormatVersionDefault;
  std::optional<int32_t> version = ParseInt32(*text);
  if (!version) {
    return InvalidArgument("Cannot parse property format-version: expected an integer, found " +
                           *text);
  }
  if (*version >= 1 && *version <= kFormatVersionMax) return *version;
  return ValidationError("Unsupported format version: v" + *text + " (supported: v" +
                         std::to_string(kFormatVersionMax) + ")");
}

Status CheckRetryProperties(const Json& properties) {
  for (const char* key : kRetryProperties) {
    BERGLITE_ASSIGN_OR_RETURN(std::optional<std::string> text, FindString(properties, key));
    if (!text) continue;
    std::optional<int32_t> value = ParseInt32(*text);
    if (value && *value >= 0) continue;
    return ValidationError("Table property " + std::string(key) + " must have " +
                           (value ? "non negative " : "") + "integer value");
  }
  return {};
}

Status CheckMetricsColumns(const Json& properties, const Schema& schema) {
  for (const auto& [key, value] : properties.items()) {
    if (!std::string_view(key).starts_with(kMetricsColumnPrefix)) continue;
    std::string column = key.substr(kMetricsColumnPrefix.size());
    if (schema.FindField(column) != nullptr) continue;
    std::string message = "Invalid metrics config, could not find column ";
    message.append(column).append(" from table prop ").append(key).append(" in the schema");
    return ValidationError(std::move(message));
  }
  return {};
}

Result<Json> RequestedProperties(const Json& request) {
  const Json* properties = FindMember(request, keys::kProperties);
  if (properties == nullptr) return Json::object();
  BERGLITE_RETURN_IF_ERROR(CheckStringMap(*properties, keys::kProperties));
  return *properties;
}

Status CheckProperties(const Json& properties, int32_t version, const Schema& schema) {
  BERGLITE_RETURN_IF_ERROR(CheckRetryProperties(properties));
  BERGLITE_RETURN_IF_ERROR(CheckMetricsColumns(properties, schema));
  if (!properties.contains(kEncryptionProperty) || version >= kEncryptionVersionMin) return {};
  return ValidationError("Invalid properties for v" + std::to_string(version) + ": " +
                         kEncryptionProperty + " is not supported until v" +
                         std::to_string(kEncryptionVersionMin));
}

Result<Json> SpecOf(const Json& request, const Schema& requested, const Schema& fresh,
                    int32_t version) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* found, FindObject(request, keys::kPartitionSpec));
  Json spec = found == nullptr ? Json::object() : *found;
  if (found == nullptr) spec[keys::kFields] = Json::array();
  return RebuildPartitionSpec(spec, requested, fresh, version);
}

Result<Json> SortOrderOf(const Json& request, const Schema& requested, const Schema& fresh) {
  BERGLITE_ASSIGN_OR_RETURN(const Json* found, FindObject(request, keys::kWriteOrder));
  Json order = found == nullptr ? Json::object() : *found;
  if (found == nullptr) order[keys::kFields] = Json::array();
  return RebuildSortOrder(order, requested, fresh);
}

}  // namespace

Result<TableMetadata> NewTableMetadata(const Json& request, const std::string& location,
                                       Environment& environment) {
  BERGLITE_ASSIGN_OR_RETURN(Json properties, RequestedProperties(request));
  BERGLITE_ASSIGN_OR_RETURN(int32_t version, FormatVersionOf(properties));
  BERGLITE_ASSIGN_OR_RETURN(std::optional<bool> is_staged, FindBool(request, keys::kStageCreate));
  BERGLITE_ASSIGN_OR_RETURN(const Json* requested_json, GetObject(request, keys::kSchema));
  BERGLITE_ASSIGN_OR_RETURN(Schema requested, Schema::Parse(*requested_json));
  FreshSchema fresh = AssignFreshIds(WithoutNullMembers(*requested_json));
  BERGLITE_ASSIGN_OR_RETURN(Schema schema, Schema::Parse(fresh.json));
  BERGLITE_RETURN_IF_ERROR(schema.CheckFormatVersion(version));
  BERGLITE_ASSIGN_OR_RETURN(Json spec, SpecOf(request, requested, schema, version));
  BERGLITE_ASSIGN_OR_RETURN(Json order, SortOrderOf(request, requested, schema));
  BERGLITE_RETURN_IF_ERROR(CheckProperties(properties, version, schema));

  int64_t now_ms = environment.NowMs();
  for (const char* key : kReservedProperties) properties.erase(key);
  properties.emplace(kParquetCodecProperty, "zstd");
  if (is_staged.value_or(false)) properties.emplace(kCreatedAtProperty, IsoTime(now_ms));

  Json table = EmptyTable(version);
  table[keys::kTableUuid] = NewUuid(environment);
  table[keys::kLocation] = WithoutTrailingSlashes(location);
  table[keys::kLastUpdatedMs] = now_ms;
  table[keys::kProperties] = std::move(properties);
  table[keys::kCurrentSchemaId] = schema.id();
  table[keys::kLastColumnId] = fresh.last_column_id;
  table[keys::kSchemas].push_back(std::move(fresh.json));
  table[keys::kDefaultSpecId] = spec.at(keys::kSpecId);
  table[keys::kLastPartitionId] = HighestPartitionFieldId(spec);
  table[keys::kPartitionSpecs].push_back(std::move(spec));
  table[keys::kDefaultSortOrderId] = order.at(keys::kOrderId);
  table[keys::kSortOrders].push_back(std::move(order));
  WriteVersionMembers(table);
  return TableMetadata::Parse(DocumentAccess::FromDom(std::move(table)));
}

}  // namespace berglite::metadata
