#include "server/logging/log_format.h"

#include <spdlog/formatter.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/logging/journal.h"
#include "server/logging/log_fields.h"
#include "server/logging/log_line.h"

namespace priorityd::logging {
namespace {

absl::string_view View(const spdlog::string_view_t& text) { return {text.data(), text.size()}; }

// spdlog's pattern `%Y-%m-%d %H:%M:%S.%e %l %v`, with messages kept on one line.
class TextFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    const std::string text = LogLine(View(message.payload)) + ToText(FieldsOfThisLine());
    spdlog::details::log_msg escaped = message;
    escaped.payload = text;
    pattern_.format(escaped, line);
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<TextFormatter>();
  }

 private:
  spdlog::pattern_formatter pattern_{"%Y-%m-%d %H:%M:%S.%e %l %v"};
};

class JsonFormatter : public spdlog::formatter {
 public:
  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& line) override {
    const spdlog::string_view_t level = spdlog::level::to_string_view(message.level);
    const std::string text =
        absl::StrFormat("{\"time\":\"%s\",\"level\":\"%s\",\"message\":\"%s\"%s}\n",
                        absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromChrono(message.time),
                                         absl::UTCTimeZone()),
                        std::string(level.data(), level.size()), JsonLogLine(View(message.payload)),
                        ToJson(FieldsOfThisLine()));
    line.append(text.data(), text.data() + text.size());
  }
  std::unique_ptr<spdlog::formatter> clone() const override {
    return std::make_unique<JsonFormatter>();
  }
};

}  // namespace

std::unique_ptr<spdlog::formatter> MakeLogFormatter(bool json) {
  if (json) return std::make_unique<JsonFormatter>();
  return std::make_unique<TextFormatter>();
}

void SetUpLog(const std::string& format) {
  const bool journal = format == "journal";
  auto logger = std::make_shared<spdlog::logger>(
      "priorityd", journal ? MakeJournalSink() : std::make_shared<spdlog::sinks::stderr_sink_mt>());
  if (!journal) logger->set_formatter(MakeLogFormatter(format == "json"));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

}  // namespace priorityd::logging
