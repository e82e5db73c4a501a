// Health: the two questions of those who run servers, which are no part of the protocol. `/healthz`
// asks whether the process answers at all, `/readyz` whether it could store a change.
//
// Threads: Answer may be called from any thread at the same time.
// Ownership: the Catalog is borrowed and must outlive this.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string_view>

#include "berglite/catalog.h"
#include "berglite/result.h"
#include "shim/rest/http.h"

namespace berglite::rest {

class Health {
 public:
  // What is known of the storage is good for `age_max`: whoever can connect may ask, and each look
  // costs syncs of the disk.
  explicit Health(Catalog& catalog,
                  std::chrono::milliseconds age_max = std::chrono::milliseconds(1000))
      : catalog_(catalog), age_max_(age_max) {}

  // Absent where the path is neither of the two.
  std::optional<HttpReply> Answer(std::string_view method, std::string_view path);

 private:
  using Clock = std::chrono::steady_clock;

  HttpReply AnswerReady();
  Status Readiness();
  Status Look();

  Catalog& catalog_;
  const std::chrono::milliseconds age_max_;

  std::mutex mutex_;
  // One at a time: where a look takes long, others are told what the last one found.
  bool looking_ = false;                        // guarded by mutex_, as is what follows
  std::optional<Clock::time_point> looked_at_;  // when the last look ended
  Status found_;
};

}  // namespace berglite::rest
