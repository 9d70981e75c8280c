// The first column of a row, for a Transaction::Query of one text.
#ifndef TESTS_STORAGE_READ_TEXT_H_
#define TESTS_STORAGE_READ_TEXT_H_

#include <string>

#include "storage/row_reader.h"

namespace priorityd::storage {

inline std::string ReadText(RowReader& row) {
  std::string text;
  row.Read(&text);
  return text;
}

}  // namespace priorityd::storage

#endif  // TESTS_STORAGE_READ_TEXT_H_
