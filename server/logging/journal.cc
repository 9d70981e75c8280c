#define SD_JOURNAL_SUPPRESS_LOCATION
#include "server/logging/journal.h"

#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/logging/log_line.h"

namespace priorityd::logging {
namespace {

constexpr char kJournalSocket[] = "/run/systemd/journal/socket";

int SyslogPriority(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return LOG_DEBUG;
    case spdlog::level::warn:
      return LOG_WARNING;
    case spdlog::level::err:
      return LOG_ERR;
    case spdlog::level::critical:
      return LOG_CRIT;
    default:
      return LOG_INFO;
  }
}

struct ToJournalValue {
  std::string operator()(int64_t number) const { return absl::StrCat(number); }
  std::string operator()(bool is_true) const { return is_true ? "true" : "false"; }
  std::string operator()(double milliseconds) const {
    return absl::StrFormat("%.2f", milliseconds);
  }
  std::string operator()(const std::string& text) const { return LogLine(text); }
};

// Without a lock: journald takes each entry whole.
class JournalSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::vector<std::string> entry = JournalEntry(
        message.level, {message.payload.data(), message.payload.size()}, FieldsOfThisLine());
    std::vector<iovec> parts;
    for (const std::string& field : entry) {
      parts.push_back({const_cast<char*>(field.data()), field.size()});
    }
    if (sd_journal_sendv(parts.data(), static_cast<int>(parts.size())) < 0) {
      std::cerr << absl::StrCat(entry[2], "\n");
    }
  }
  void flush_() override {}
};

}  // namespace

bool HasJournal() { return access(kJournalSocket, W_OK) == 0; }

std::vector<std::string> JournalEntry(spdlog::level::level_enum level, absl::string_view message,
                                      const LogFields& fields) {
  std::vector<std::string> entry = {absl::StrCat("PRIORITY=", SyslogPriority(level)),
                                    "SYSLOG_IDENTIFIER=priorityd",
                                    absl::StrCat("MESSAGE=", LogLine(message), ToText(fields))};
  for (const LogField& field : fields) {
    entry.push_back(absl::StrCat(absl::AsciiStrToUpper(field.name), "=",
                                 std::visit(ToJournalValue(), field.value)));
  }
  return entry;
}

spdlog::sink_ptr MakeJournalSink() { return std::make_shared<JournalSink>(); }

}  // namespace priorityd::logging
