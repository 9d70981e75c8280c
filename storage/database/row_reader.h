// Reads the columns of one result row, in order, into plain values.
#ifndef STORAGE_DATABASE_ROW_READER_H_
#define STORAGE_DATABASE_ROW_READER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "storage/database/amount.h"
#include "storage/database/literal.h"

namespace priorityd::storage {

// The columns of one result row, in PostgreSQL's text form.
class ColumnTexts {
 public:
  virtual ~ColumnTexts() = default;
  virtual size_t size() const = 0;
  // nullopt is NULL; else valid as long as the row is. REQUIRES: column < size().
  virtual std::optional<absl::string_view> Text(size_t column) const = 0;
};

// Column i of the row goes to the i-th argument of Read; a list of
// amounts or settings takes two columns, both arrays: names, then amounts.
// NULL goes only into an optional, or, for a list, makes it empty. The first
// column that cannot be read makes status() INTERNAL and stops the reading.
class RowReader {
 public:
  // `columns` must outlive the reader.
  explicit RowReader(const ColumnTexts& columns) : columns_(columns) {}

  template <typename... T>
  void Read(T*... fields) {
    (ReadField(fields), ...);
  }

  // The next column's text; nullopt for NULL.
  std::optional<absl::string_view> Next();
  // The column read last cannot be read.
  void Fail();

  absl::Status status() const { return status_; }

 private:
  template <typename T>
  void ReadField(T* field) {
    std::optional<absl::string_view> text = Next();
    if (!text.has_value() || !DecodeText(*text, field)) Fail();
  }
  template <typename T>
  void ReadField(std::optional<T>* field) {
    field->reset();
    std::optional<absl::string_view> text = Next();
    if (!text.has_value()) return;
    if (!DecodeText(*text, &field->emplace())) Fail();
  }
  void ReadField(std::vector<NamedAmount>* field);
  void ReadField(std::vector<TresAmount>* field);
  void ReadField(TresAmounts* field);
  template <typename List>
  void ReadAmounts(List* field);
  void ReadField(std::vector<KeyValue>* field);

  const ColumnTexts& columns_;
  size_t next_ = 0;
  absl::Status status_;
};

// Decodes a row of one column.
template <typename T>
T OnlyColumn(RowReader& row) {
  T value{};
  row.Read(&value);
  return value;
}

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_ROW_READER_H_
