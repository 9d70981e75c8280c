// Log lines with named values.
#ifndef PRIORITYD_SERVER_LOG_FIELDS_H_
#define PRIORITYD_SERVER_LOG_FIELDS_H_

#include <spdlog/common.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd {

// A value of a log line: a member of its JSON object, `name=value` in a text. The name is a word.
struct LogField {
  LogField(const char* its_name, std::string text) : name(its_name), value(std::move(text)) {}
  LogField(const char* its_name, int64_t number) : name(its_name), value(number) {}
  LogField(const char* its_name, bool is_true) : name(its_name), value(is_true) {}
  // In milliseconds.
  LogField(const char* its_name, absl::Duration time)
      : name(its_name), value(absl::ToDoubleMilliseconds(time)) {}

  const char* name;
  std::variant<std::string, int64_t, bool, double> value;
};

using LogFields = std::vector<LogField>;

// Writes `message`, which is fixed, and the fields. Whatever texts are in them is escaped.
void Log(spdlog::level::level_enum level, absl::string_view message, const LogFields& fields);

// ` method=RankJobs ms=0.84`, and `,"method":"RankJobs","ms":0.84`.
std::string ToText(const LogFields& fields);
std::string ToJson(const LogFields& fields);

// Those of the line that this thread is writing.
const LogFields& FieldsOfThisLine();

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_LOG_FIELDS_H_
