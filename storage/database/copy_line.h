// One row in the text form that COPY reads.
#ifndef STORAGE_DATABASE_COPY_LINE_H_
#define STORAGE_DATABASE_COPY_LINE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "storage/database/literal.h"

namespace priorityd::storage {

// Fields are added in the order of the columns and must not contain U+0000, which COPY rejects.
class CopyLine {
 public:
  void AddNull();
  void Add(absl::string_view text);  // escaped as needed
  void Add(const std::string& text) { Add(absl::string_view(text)); }
  template <typename T>
  void Add(const T& value) {
    Add(absl::string_view(EncodeText(value)));
  }
  template <typename T>
  void Add(const std::optional<T>& value) {
    value.has_value() ? Add(*value) : AddNull();
  }
  template <typename T>
  void Add(const std::vector<T>& values) {
    ArrayLiteral array;
    for (const T& value : values) array.Add(value);
    Add(absl::string_view(std::move(array).Finish()));
  }

  // Without the newline.
  const std::string& text() const { return text_; }

 private:
  void Separate();

  std::string text_;
  bool empty_ = true;
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_COPY_LINE_H_
