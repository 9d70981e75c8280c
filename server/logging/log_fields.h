// Log lines with named fields.
#ifndef PRIORITYD_SERVER_LOGGING_LOG_FIELDS_H_
#define PRIORITYD_SERVER_LOGGING_LOG_FIELDS_H_

#include <spdlog/common.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::logging {

// A named value of a log line: a member of the JSON object, or `name=value` in the text format. The
// name is one word.
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

// Logs `message`, a constant, and the fields. Texts in the fields are escaped.
void Log(spdlog::level::level_enum level, absl::string_view message, const LogFields& fields);

// ` method=RankJobs ms=0.84`, and `,"method":"RankJobs","ms":0.84`.
std::string ToText(const LogFields& fields);
std::string ToJson(const LogFields& fields);

// The fields of the line that this thread is writing.
const LogFields& FieldsOfThisLine();

}  // namespace priorityd::logging

#endif  // PRIORITYD_SERVER_LOGGING_LOG_FIELDS_H_
