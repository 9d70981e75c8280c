// One parameter of an SQL statement.
#ifndef STORAGE_DATABASE_PARAMETER_H_
#define STORAGE_DATABASE_PARAMETER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "storage/database/literal.h"

namespace priorityd::storage {

// Converts implicitly from every type of literal.h, from std::optional of one
// (nullopt is NULL) and from std::vector of one (an array), so that a call
// reads Execute(kStatement, {id, name, tags}).
class Parameter {
 public:
  // NOLINTBEGIN(google-explicit-constructor): implicit, as said above.
  Parameter(std::nullopt_t) {}
  Parameter(const char* text) : Parameter(std::string(text)) {}
  Parameter(absl::string_view text) : Parameter(std::string(text)) {}
  Parameter(std::string text) : text_(std::move(text)) {}
  Parameter(ArrayLiteral array) : text_(std::move(array).Finish()) {}
  template <typename T>
  requires(std::is_arithmetic_v<T> || std::is_same_v<T, absl::Time> ||
           std::is_same_v<T, absl::Duration>) Parameter(T value)
      : text_(EncodeText(value)) {}
  template <typename T>
  Parameter(const std::optional<T>& value) {
    if (value.has_value()) *this = Parameter(*value);
  }
  template <typename T>
  Parameter(const std::vector<T>& values) {
    ArrayLiteral array;
    for (const T& value : values) array.Add(value);
    text_ = std::move(array).Finish();
  }
  // NOLINTEND(google-explicit-constructor)

  // nullopt is NULL.
  const std::optional<std::string>& text() const { return text_; }

  // PostgreSQL would truncate the text there.
  bool HasNulByte() const { return text_.has_value() && text_->find('\0') != std::string::npos; }

 private:
  std::optional<std::string> text_;
};

// An array with one element per row, `project(row)`: a column for unnest.
template <typename Rows, typename Projection>
Parameter Column(const Rows& rows, Projection project) {
  ArrayLiteral array;
  for (const auto& row : rows) array.Add(project(row));
  return Parameter(std::move(array));
}

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_PARAMETER_H_
