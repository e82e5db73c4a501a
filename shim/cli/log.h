// The program's log, on stderr.
#pragma once

#include <memory>
#include <string>

#include <berglite/server.h>

namespace berglite::cli {

// Writes requests to stderr: at `debug` each in one line, above that only what failed on the
// server's side. Headers and bodies, where the secrets are, are never written.
//
// Threads: may be used from any thread at the same time.
class RequestLog {
 public:
  // `level` is one of those of --log-level.
  explicit RequestLog(const std::string& level);
  ~RequestLog();

  void Write(const RequestRecord& record) const;

 private:
  class Logger;
  std::unique_ptr<Logger> logger_;
};

}  // namespace berglite::cli
