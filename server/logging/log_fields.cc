#include "server/logging/log_fields.h"

#include <spdlog/spdlog.h>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "server/logging/log_line.h"

namespace priorityd::logging {
namespace {

const LogFields kNone;
thread_local const LogFields* fields_of_this_line = &kNone;

std::string Quoted(const std::string& text) { return absl::StrCat("\"", JsonLogLine(text), "\""); }

// Whether a text needs no quotes after `name=`.
bool IsWord(const std::string& text) {
  for (const char c : text) {
    const bool fits = absl::ascii_isgraph(c) || static_cast<unsigned char>(c) >= 0xa0;
    if (!fits || c == '"' || c == '\\' || c == '=') return false;
  }
  return !text.empty() && LogLine(text) == text;
}

struct ToValue {
  std::string operator()(int64_t number) const { return absl::StrCat(number); }
  std::string operator()(bool is_true) const { return is_true ? "true" : "false"; }
  std::string operator()(double milliseconds) const {
    return absl::StrFormat("%.2f", milliseconds);
  }
  std::string operator()(const std::string& text) const {
    return words && IsWord(text) ? text : Quoted(text);
  }
  bool words;
};

}  // namespace

std::string ToText(const LogFields& fields) {
  std::string text;
  for (const LogField& field : fields) {
    absl::StrAppend(&text, " ", field.name, "=", std::visit(ToValue{.words = true}, field.value));
  }
  return text;
}

std::string ToJson(const LogFields& fields) {
  std::string json;
  for (const LogField& field : fields) {
    absl::StrAppend(&json, ",\"", field.name,
                    "\":", std::visit(ToValue{.words = false}, field.value));
  }
  return json;
}

const LogFields& FieldsOfThisLine() { return *fields_of_this_line; }

void Log(spdlog::level::level_enum level, absl::string_view message, const LogFields& fields) {
  fields_of_this_line = &fields;
  const absl::Cleanup done = [] { fields_of_this_line = &kNone; };
  spdlog::default_logger_raw()->log(level, spdlog::string_view_t(message.data(), message.size()));
}

}  // namespace priorityd::logging
