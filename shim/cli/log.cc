#include "shim/cli/log.h"

#include <string_view>

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

namespace berglite::cli {
namespace {

// Whatever a client sends, a request is one line of plain text.
std::string Printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string printable;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7F) {
      printable += c;
    } else {
      printable += "\\x";
      printable += kHex[byte / 16];
      printable += kHex[byte % 16];
    }
  }
  return printable;
}

}  // namespace

class RequestLog::Logger : public spdlog::logger {
 public:
  Logger() : spdlog::logger("berglite", std::make_shared<spdlog::sinks::stderr_sink_mt>()) {}
};

RequestLog::RequestLog(const std::string& level) : logger_(std::make_unique<Logger>()) {
  logger_->set_pattern("%Y-%m-%d %H:%M:%S.%e %l: %v");
  logger_->set_level(spdlog::level::from_str(level));
}

RequestLog::~RequestLog() = default;

void RequestLog::Write(const RequestRecord& record) const {
  const spdlog::level::level_enum level =
      record.status >= 500 ? spdlog::level::err : spdlog::level::debug;
  if (!logger_->should_log(level)) return;
  logger_->log(level, "{} {} {} {} B {:.1f} ms{}{}{}{}", Printable(record.method),
               Printable(record.target), record.status, record.response_bytes,
               static_cast<double>(record.duration.count()) / 1000.0,
               record.operation.empty() ? "" : " ", record.operation,
               record.error.empty() ? "" : " - ", Printable(record.error));
}

}  // namespace berglite::cli
