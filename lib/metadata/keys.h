// The JSON keys of table and view metadata, of updates and of requirements.
//
// Rules: the Iceberg table specification, appendix C, the view specification and the REST
// specification.
#pragma once

namespace berglite::metadata::keys {

// Table metadata.
inline constexpr char kFormatVersion[] = "format-version";
inline constexpr char kTableUuid[] = "table-uuid";
inline constexpr char kLocation[] = "location";
inline constexpr char kLastUpdatedMs[] = "last-updated-ms";
inline constexpr char kLastSequenceNumber[] = "last-sequence-number";
inline constexpr char kNextRowId[] = "next-row-id";
inline constexpr char kProperties[] = "properties";
inline constexpr char kSchemas[] = "schemas";
inline constexpr char kCurrentSchemaId[] = "current-schema-id";
inline constexpr char kLastColumnId[] = "last-column-id";
inline constexpr char kPartitionSpecs[] = "partition-specs";
inline constexpr char kDefaultSpecId[] = "default-spec-id";
inline constexpr char kLastPartitionId[] = "last-partition-id";
inline constexpr char kSortOrders[] = "sort-orders";
inline constexpr char kDefaultSortOrderId[] = "default-sort-order-id";
inline constexpr char kSnapshots[] = "snapshots";
inline constexpr char kCurrentSnapshotId[] = "current-snapshot-id";
inline constexpr char kRefs[] = "refs";
inline constexpr char kSnapshotLog[] = "snapshot-log";
inline constexpr char kMetadataLog[] = "metadata-log";
inline constexpr char kStatistics[] = "statistics";
inline constexpr char kPartitionStatistics[] = "partition-statistics";
inline constexpr char kEncryptionKeys[] = "encryption-keys";

// Table metadata, version 1 alone.
inline constexpr char kSchema[] = "schema";
inline constexpr char kPartitionSpec[] = "partition-spec";

// Schemas, partition specs and sort orders.
inline constexpr char kSchemaId[] = "schema-id";
inline constexpr char kSpecId[] = "spec-id";
inline constexpr char kOrderId[] = "order-id";
inline constexpr char kFields[] = "fields";
inline constexpr char kFieldId[] = "field-id";

// Snapshots, references and logs.
inline constexpr char kSnapshotId[] = "snapshot-id";
inline constexpr char kParentSnapshotId[] = "parent-snapshot-id";
inline constexpr char kSequenceNumber[] = "sequence-number";
inline constexpr char kTimestampMs[] = "timestamp-ms";
inline constexpr char kManifestList[] = "manifest-list";
inline constexpr char kManifests[] = "manifests";
inline constexpr char kSummary[] = "summary";
inline constexpr char kOperation[] = "operation";
inline constexpr char kFirstRowId[] = "first-row-id";
inline constexpr char kAddedRows[] = "added-rows";
inline constexpr char kType[] = "type";
inline constexpr char kMinSnapshotsToKeep[] = "min-snapshots-to-keep";
inline constexpr char kMaxSnapshotAgeMs[] = "max-snapshot-age-ms";
inline constexpr char kMaxRefAgeMs[] = "max-ref-age-ms";
inline constexpr char kMetadataFile[] = "metadata-file";

// Statistics and encryption keys.
inline constexpr char kStatisticsPath[] = "statistics-path";
inline constexpr char kFileSizeInBytes[] = "file-size-in-bytes";
inline constexpr char kFileFooterSizeInBytes[] = "file-footer-size-in-bytes";
inline constexpr char kBlobMetadata[] = "blob-metadata";
inline constexpr char kKeyId[] = "key-id";
inline constexpr char kEncryptedKeyMetadata[] = "encrypted-key-metadata";
inline constexpr char kEncryptedById[] = "encrypted-by-id";

// View metadata.
inline constexpr char kViewUuid[] = "view-uuid";
inline constexpr char kCurrentVersionId[] = "current-version-id";
inline constexpr char kVersions[] = "versions";
inline constexpr char kVersionLog[] = "version-log";
inline constexpr char kVersionId[] = "version-id";
inline constexpr char kRepresentations[] = "representations";
inline constexpr char kSql[] = "sql";
inline constexpr char kDialect[] = "dialect";
inline constexpr char kDefaultCatalog[] = "default-catalog";
inline constexpr char kDefaultNamespace[] = "default-namespace";

// CreateTableRequest.
inline constexpr char kWriteOrder[] = "write-order";
inline constexpr char kStageCreate[] = "stage-create";

// Updates. `updated` and `removed` are older spellings of `updates` and `removals`.
inline constexpr char kAction[] = "action";
inline constexpr char kUuid[] = "uuid";
inline constexpr char kSpec[] = "spec";
inline constexpr char kSortOrder[] = "sort-order";
inline constexpr char kSortOrderId[] = "sort-order-id";
inline constexpr char kSnapshot[] = "snapshot";
inline constexpr char kRefName[] = "ref-name";
inline constexpr char kSnapshotIds[] = "snapshot-ids";
inline constexpr char kUpdates[] = "updates";
inline constexpr char kUpdated[] = "updated";
inline constexpr char kRemovals[] = "removals";
inline constexpr char kRemoved[] = "removed";
inline constexpr char kSpecIds[] = "spec-ids";
inline constexpr char kSchemaIds[] = "schema-ids";
inline constexpr char kEncryptionKey[] = "encryption-key";
inline constexpr char kViewVersion[] = "view-version";
inline constexpr char kViewVersionId[] = "view-version-id";

// Requirements.
inline constexpr char kRef[] = "ref";
inline constexpr char kLastAssignedFieldId[] = "last-assigned-field-id";
inline constexpr char kLastAssignedPartitionId[] = "last-assigned-partition-id";

// Functions.
inline constexpr char kName[] = "name";
inline constexpr char kValue[] = "value";
inline constexpr char kKey[] = "key";
inline constexpr char kElement[] = "element";
inline constexpr char kFunctionUuid[] = "function-uuid";
inline constexpr char kSecure[] = "secure";
inline constexpr char kDefinitions[] = "definitions";
inline constexpr char kDefinitionId[] = "definition-id";
inline constexpr char kParameters[] = "parameters";
inline constexpr char kReturnType[] = "return-type";
inline constexpr char kReturnNullable[] = "return-nullable";
inline constexpr char kFunctionType[] = "function-type";
inline constexpr char kDeterministic[] = "deterministic";
inline constexpr char kOnNullInput[] = "on-null-input";
inline constexpr char kDefinitionLog[] = "definition-log";
inline constexpr char kDefinitionVersions[] = "definition-versions";

// Properties that name directories.
inline constexpr char kMetadataPathProperty[] = "write.metadata.path";
inline constexpr char kDataPathProperty[] = "write.data.path";
// Earlier names of it.
inline constexpr char kObjectStoragePathProperty[] = "write.object-storage.path";
inline constexpr char kFolderStoragePathProperty[] = "write.folder-storage.path";

}  // namespace berglite::metadata::keys
