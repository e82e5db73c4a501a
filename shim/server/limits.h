// Every limit of the HTTP front, each with its reason. Past one the client gets a clear 4xx or 503,
// and nothing has been done. Tests shrink them; the program runs with these.
#pragma once

#include <chrono>
#include <cstddef>

namespace berglite::server {

struct Limits {
  // A namespace of 32 levels and a table name, percent-encoded, fit; stacks of parsers do too.
  size_t target_bytes_max = 8192;
  // Request line and headers together. Bearer tokens and tracing headers reach 16 KiB.
  size_t head_bytes_max = size_t{64} << 10;
  size_t header_fields_max = 256;
  // After every decoding. The library refuses larger documents anyway.
  size_t body_bytes_max = size_t{64} << 20;
  // Requests not yet answered and replies not yet taken, of all connections together.
  size_t buffered_bytes_max = size_t{512} << 20;
  // Also kept below the limit of the process on open files, see file_descriptors_kept.
  size_t connections_max = 4096;
  // Left to the rest of the process: the catalog file, its log, table files, readers.
  size_t file_descriptors_kept = 128;

  // A pool of a client (Java: 3 minutes, Go: for ever) must not be surprised by our close: it
  // cannot tell a request lost to it from one that was carried out. Announced as `Keep-Alive:
  // timeout=`.
  std::chrono::milliseconds idle_timeout = std::chrono::minutes(5);
  // Where connections_max is reached, one that has been idle at least this long gives way.
  std::chrono::milliseconds idle_min = std::chrono::seconds(1);
  // From the first byte of a request to the end of its head.
  std::chrono::milliseconds head_timeout = std::chrono::seconds(30);
  // A body, and a reply, may take this long and a second more for each bytes_per_second ...
  std::chrono::milliseconds transfer_timeout = std::chrono::seconds(30);
  size_t bytes_per_second_min = 100'000;
  // ... but never longer than this.
  std::chrono::milliseconds transfer_timeout_max = std::chrono::minutes(10);
  // After the last reply of a connection, what the client still sends is read and dropped until it
  // pauses this long: closing at once would make its system throw our reply away.
  std::chrono::milliseconds linger_timeout = std::chrono::seconds(2);
  std::chrono::milliseconds linger_timeout_max = std::chrono::seconds(30);
  // How long a stopping server waits for clients to take their replies.
  std::chrono::milliseconds stop_timeout = std::chrono::seconds(5);
  std::chrono::milliseconds stop_linger_timeout = std::chrono::milliseconds(200);
};

}  // namespace berglite::server
