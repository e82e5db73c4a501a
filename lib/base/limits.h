// Every limit of berglite, in one place, each with its reason. Tested at the limit and one past it.
// Past a limit the answer is a clear 4xx and nothing is changed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace berglite::limits {

// A commit carries snapshots and schemas, not data; the largest seen are a few MB.
inline constexpr size_t kRequestBodyBytesMax = size_t{64} << 20;
// A table with 100,000 snapshots has 70 MB of metadata. Beyond this the table needs maintenance.
inline constexpr size_t kMetadataBytesMax = size_t{512} << 20;
// Writers of JSON recurse; schemas nest a few levels, expressions some dozens.
inline constexpr size_t kJsonDepthMax = 128;
inline constexpr size_t kNamespaceLevelsMax = 32;
// Names become parts of paths and keys of an index.
inline constexpr size_t kNameBytesMax = 1024;
inline constexpr int64_t kPageSizeMax = 1000;
inline constexpr size_t kTablesPerCommitMax = 256;
inline constexpr size_t kUpdatesPerCommitMax = 10'000;
// How many races with other processes a commit may lose before it is carried out with the file
// locked: often enough that this is rare, seldom enough that no client waits long.
inline constexpr int kCommitRacesMax = 4;
inline constexpr size_t kReadersMax = 8;
// Metrics reports, which clients send unasked: what one may hold, how many of a table and of a file
// are kept, how many may wait to be written, and how long they do.
inline constexpr size_t kMetricsReportBytesMax = size_t{64} << 10;
inline constexpr int64_t kMetricsPerTableMax = 100;
inline constexpr int64_t kMetricsMax = 10'000;
inline constexpr size_t kMetricsWaitingMax = 1000;
inline constexpr std::chrono::seconds kMetricsDelay{1};
// How long the outcome of a request with an Idempotency-Key is kept: longer than clients are told
// (kIdempotencyKeyLifetime), as their last retry may be under way when that time ends.
inline constexpr int64_t kIdempotencyKeyKeptMs = int64_t{35} * 60 * 1000;
// How many of them one write looks at for those that have expired. A write adds one, so anything
// above one clears a backlog; few, since each costs the pages of two trees.
inline constexpr int64_t kIdempotencySweepMax = 16;
// Memory for current metadata documents; see lib/catalog/metadata_cache.h.
inline constexpr size_t kMetadataCacheBytesMax = size_t{32} << 20;
// The same for views, whose documents are smaller and change seldom.
inline constexpr size_t kViewCacheBytesMax = size_t{4} << 20;
// The header of a manifest holds the schema of the table and that of the entries.
inline constexpr size_t kAvroHeaderBytesMax = size_t{16} << 20;
// Writers end a block after some 16 to 64 KB, but a few make one block of a whole manifest. Both as
// it is stored and as it inflates.
inline constexpr size_t kAvroBlockBytesMax = size_t{128} << 20;
// Types in the schema of a manifest, each counted as often as it is used. A table has some 60, and
// a few more for each partition field.
inline constexpr size_t kAvroTypesMax = 10'000;
inline constexpr size_t kAvroDepthMax = 128;
// Fields of records that take no byte: each is passed over again for every byte of an array. A
// table without partition fields has one.
inline constexpr size_t kAvroEmptyTypesMax = 100;
// A path in a manifest. Local paths end at 4 KB, keys of objects at 1 KB.
inline constexpr size_t kFilePathBytesMax = size_t{16} << 10;
// A manifest list or manifest that is written anew, as it is made in memory. Writers begin another
// manifest after 8 MB.
inline constexpr size_t kRewrittenManifestBytesMax = size_t{512} << 20;
// Dropped tables whose files are removed on one look at all other tables.
inline constexpr size_t kSweepBatchMax = 100;
// Files of the dropped tables of such a batch; 8 bytes each. A table with more is never purged.
inline constexpr size_t kPurgeFilesMax = 50'000'000;
// Files that are removed in one go while all who write to the catalog file wait: some 10 ms.
inline constexpr size_t kPurgeFilesAtOnce = 200;
// How often such a go is put off because a pointer has moved, before the others wait for the look
// at what it points to as well.
inline constexpr int kPurgeRacesMax = 3;
// How long an owed removal of files waits after it failed the first time; twice as long each time,
// up to the second. And how long a drop waits for its own before it answers and leaves the rest.
inline constexpr int64_t kSweepRetryMs = int64_t{10} * 60 * 1000;
inline constexpr int64_t kSweepRetryMsMax = int64_t{24} * 60 * 60 * 1000;
inline constexpr int64_t kPurgeWaitMs = 1000;

}  // namespace berglite::limits
