#include "storage/database/literal.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

constexpr char kTimeFormat[] = "%E4Y-%m-%d %H:%M:%E6S+00";

absl::Time FirstTime() { return absl::FromCivil(absl::CivilSecond(1, 1, 1), absl::UTCTimeZone()); }
absl::Time EndOfTimes() {
  return absl::FromCivil(absl::CivilSecond(10000, 1, 1), absl::UTCTimeZone());
}

template <typename T>
bool DecodeNumber(absl::string_view text, T* value) {
  const char* end = text.data() + text.size();
  std::from_chars_result result = std::from_chars(text.data(), end, *value);
  return result.ec == std::errc() && result.ptr == end;
}

// Reads `digits` decimal digits at the front of `text` and the separator after
// them, which is skipped.
bool TakeDigits(absl::string_view* text, size_t digits, char separator, int* value) {
  if (text->size() < digits) return false;
  if (!DecodeNumber(text->substr(0, digits), value)) return false;
  text->remove_prefix(digits);
  if (separator == '\0') return true;
  if (text->empty() || text->front() != separator) return false;
  text->remove_prefix(1);
  return true;
}

// Reads `.123456`, as many digits as there are, into microseconds.
bool TakeFraction(absl::string_view* text, int64_t* micros) {
  *micros = 0;
  if (text->empty() || text->front() != '.') return true;
  text->remove_prefix(1);
  int64_t unit = 100000;
  size_t digits = 0;
  for (; digits < text->size() && absl::ascii_isdigit((*text)[digits]); ++digits, unit /= 10) {
    *micros += ((*text)[digits] - '0') * unit;
  }
  text->remove_prefix(digits);
  return digits > 0 && digits <= 6;
}

bool NeedsQuotes(absl::string_view text) {
  if (text.empty() || absl::EqualsIgnoreCase(text, "null")) return true;
  for (char c : text) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '-' && c != '_' && c != '/') return true;
  }
  return false;
}

// Takes a quoted element, whose opening quote is at text[*at].
bool TakeQuoted(absl::string_view text, size_t* at, std::string* element) {
  for (++*at; *at < text.size(); ++*at) {
    char c = text[*at];
    if (c == '"') {
      ++*at;
      return true;
    }
    if (c == '\\' && ++*at == text.size()) return false;
    element->push_back(text[*at]);
  }
  return false;
}

}  // namespace

std::string EncodeText(bool value) { return value ? "t" : "f"; }
std::string EncodeText(int32_t value) { return absl::StrCat(value); }
std::string EncodeText(int64_t value) { return absl::StrCat(value); }
std::string EncodeText(const std::string& value) { return value; }
std::string EncodeText(absl::Duration value) { return absl::StrCat(absl::ToInt64Seconds(value)); }

std::string EncodeText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char buffer[32];
  std::to_chars_result result = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, result.ptr);
}

std::string EncodeText(absl::Time value) {
  static const absl::Time first = FirstTime();
  static const absl::Time end = EndOfTimes();
  if (value < first) return "-infinity";
  if (value >= end) return "infinity";
  return absl::FormatTime(kTimeFormat, value, absl::UTCTimeZone());
}

bool DecodeText(absl::string_view text, bool* value) {
  *value = text == "t";
  return text == "t" || text == "f";
}
bool DecodeText(absl::string_view text, int32_t* value) { return DecodeNumber(text, value); }
bool DecodeText(absl::string_view text, int64_t* value) { return DecodeNumber(text, value); }

bool DecodeText(absl::string_view text, double* value) {
  if (text == "Infinity" || text == "-Infinity") {
    *value = std::copysign(std::numeric_limits<double>::infinity(), text[0] == '-' ? -1 : 1);
    return true;
  }
  if (text == "NaN") {
    *value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  return DecodeNumber(text, value);
}

bool DecodeText(absl::string_view text, absl::Time* value) {
  if (text == "infinity" || text == "-infinity") {
    *value = text[0] == '-' ? absl::InfinitePast() : absl::InfiniteFuture();
    return true;
  }
  int year, month, day, hour, minute, second;
  int64_t micros;
  if (!TakeDigits(&text, 4, '-', &year) || !TakeDigits(&text, 2, '-', &month) ||
      !TakeDigits(&text, 2, ' ', &day) || !TakeDigits(&text, 2, ':', &hour) ||
      !TakeDigits(&text, 2, ':', &minute) || !TakeDigits(&text, 2, '\0', &second) ||
      !TakeFraction(&text, &micros) || text != "+00") {
    return false;
  }
  absl::CivilSecond civil(year, month, day, hour, minute, second);
  *value = absl::FromCivil(civil, absl::UTCTimeZone()) + absl::Microseconds(micros);
  return true;
}

bool DecodeText(absl::string_view text, absl::Duration* value) {
  int64_t seconds;
  if (!DecodeNumber(text, &seconds)) return false;
  *value = absl::Seconds(seconds);
  return true;
}

bool DecodeText(absl::string_view text, std::string* value) {
  value->assign(text.data(), text.size());
  return true;
}

void ArrayLiteral::AddNull() {
  Separate();
  text_.append("NULL");
}

void ArrayLiteral::Add(absl::string_view text) {
  Separate();
  if (!NeedsQuotes(text)) {
    text_.append(text.data(), text.size());
    return;
  }
  text_.push_back('"');
  for (char c : text) {
    if (c == '"' || c == '\\') text_.push_back('\\');
    text_.push_back(c);
  }
  text_.push_back('"');
}

std::string ArrayLiteral::Finish() && {
  if (text_.empty()) return "{}";
  text_.push_back('}');
  return std::move(text_);
}

bool DecodeArray(absl::string_view text, std::vector<std::optional<std::string>>* elements) {
  elements->clear();
  if (text.size() < 2 || text.front() != '{' || text.back() != '}') return false;
  if (text == "{}") return true;
  for (size_t at = 1; at < text.size();) {
    std::string element;
    if (text[at] == '"') {
      if (!TakeQuoted(text, &at, &element)) return false;
      elements->push_back(std::move(element));
    } else {
      size_t end = text.find_first_of(",}", at);
      absl::string_view plain = text.substr(at, end - at);
      if (plain.empty() || plain.front() == '{') return false;
      plain == "NULL" ? elements->push_back(std::nullopt) : elements->push_back(std::string(plain));
      at = end;
    }
    if (at + 1 == text.size()) return text[at] == '}';
    if (at >= text.size() || text[at] != ',') return false;
    ++at;
  }
  return false;
}

}  // namespace priorityd::storage
