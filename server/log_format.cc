#include "server/log_format.h"

#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"

namespace priorityd {
namespace {

// `text` as the inside of a JSON string.
std::string JsonEscape(const spdlog::string_view_t& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      escaped.push_back('\\');
      escaped.push_back(c);
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&escaped, "\\u%04x", static_cast<unsigned char>(c));
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    const spdlog::string_view_t level = spdlog::level::to_string_view(message.level);
    const std::string text =
        absl::StrFormat("{\"time\":\"%s\",\"level\":\"%s\",\"message\":\"%s\"}\n",
                        absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(message.time),
                                         absl::UTCTimeZone()),
                        std::string(level.data(), level.size()), JsonEscape(message.payload));
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

}  // namespace

void SetUpLog(bool json) {
  auto logger = std::make_shared<spdlog::logger>("priorityd",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (json) {
    logger->set_formatter(std::make_unique<JsonFormatter>());
  } else {
    logger->set_pattern("%Y-%m-%d %H:%M:%S.%e %l %v");
  }
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace priorityd
