// PostgreSQL's text form of values: what is sent as a parameter and what
// comes back in a result.
//
// Encoding is total. Doubles are written as the shortest text that reads back
// to the same bits (also Infinity, -Infinity, NaN). Times are UTC, cut to
// microseconds; before year 1 is '-infinity', after year 9999 'infinity'.
// Durations are whole seconds, cut towards zero. Decoding returns false for
// text that is not such a value.
#ifndef STORAGE_DATABASE_LITERAL_H_
#define STORAGE_DATABASE_LITERAL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::storage {

std::string EncodeText(bool value);
std::string EncodeText(int32_t value);
std::string EncodeText(int64_t value);
std::string EncodeText(double value);
std::string EncodeText(absl::Time value);
std::string EncodeText(absl::Duration value);
std::string EncodeText(const std::string& value);

bool DecodeText(absl::string_view text, bool* value);
bool DecodeText(absl::string_view text, int32_t* value);
bool DecodeText(absl::string_view text, int64_t* value);
bool DecodeText(absl::string_view text, double* value);
bool DecodeText(absl::string_view text, absl::Time* value);
bool DecodeText(absl::string_view text, absl::Duration* value);
bool DecodeText(absl::string_view text, std::string* value);

// Builds a one-dimensional array literal, `{"a b",NULL,"c\"d"}`. An element
// that is itself an array is written as its literal, to be cast in SQL.
class ArrayLiteral {
 public:
  void AddNull();
  void Add(absl::string_view text);  // quoted as needed
  template <typename T>
  void Add(const T& value) {
    Add(absl::string_view(EncodeText(value)));
  }
  void Add(const char* text) { Add(absl::string_view(text)); }
  void Add(const std::string& text) { Add(absl::string_view(text)); }
  template <typename T>
  void Add(const std::optional<T>& value) {
    value.has_value() ? Add(*value) : AddNull();
  }
  template <typename T>
  void Add(const std::vector<T>& values) {
    ArrayLiteral inner;
    for (const T& value : values) inner.Add(value);
    Add(absl::string_view(std::move(inner).Finish()));
  }

  std::string Finish() &&;

 private:
  void Separate() { text_.push_back(text_.empty() ? '{' : ','); }

  std::string text_;
};

// The elements of a one-dimensional array literal; nullopt is NULL.
bool DecodeArray(absl::string_view text, std::vector<std::optional<std::string>>* elements);

// As above for arrays without NULL.
template <typename T>
bool DecodeText(absl::string_view text, std::vector<T>* values) {
  std::vector<std::optional<std::string>> elements;
  if (!DecodeArray(text, &elements)) return false;
  values->clear();
  values->reserve(elements.size());
  for (const std::optional<std::string>& element : elements) {
    T value;
    if (!element.has_value() || !DecodeText(*element, &value)) return false;
    values->push_back(std::move(value));
  }
  return true;
}

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_LITERAL_H_
