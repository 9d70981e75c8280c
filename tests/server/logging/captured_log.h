// The log of a test.
#ifndef PRIORITYD_TESTS_SERVER_LOGGING_CAPTURED_LOG_H_
#define PRIORITYD_TESTS_SERVER_LOGGING_CAPTURED_LOG_H_

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "server/logging/log_format.h"

namespace priorityd::logging {

// While it lives the default logger writes here, at level info.
class CapturedLog {
 public:
  explicit CapturedLog(bool json) : before_(spdlog::default_logger()) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
    auto logger = std::make_shared<spdlog::logger>("test", std::move(sink));
    logger->set_formatter(MakeLogFormatter(json));
    spdlog::set_default_logger(std::move(logger));
  }
  ~CapturedLog() { spdlog::set_default_logger(before_); }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  // The lines since the last time.
  std::vector<std::string> Take() {
    const std::string text = text_.str();
    text_.str("");
    return absl::StrSplit(text, '\n', absl::SkipEmpty());
  }

 private:
  const std::shared_ptr<spdlog::logger> before_;
  std::ostringstream text_;
};

}  // namespace priorityd::logging

#endif  // PRIORITYD_TESTS_SERVER_LOGGING_CAPTURED_LOG_H_
