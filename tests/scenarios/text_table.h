// Answers as short tables of the columns that a scenario asks for.
#ifndef PRIORITYD_TESTS_SCENARIOS_TEXT_TABLE_H_
#define PRIORITYD_TESTS_SCENARIOS_TEXT_TABLE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace priorityd::scenarios {

// Rounded to six decimals, without zeros at the end; `inf`.
std::string ToText(double number);

// The first row is the header. Columns of numbers are set to the right.
std::string TextTable(const std::vector<std::vector<std::string>>& rows);

// A column and how its cells come from a row.
template <typename Row>
struct Column {
  std::string name;
  std::function<std::string(const Row&)> cell;
};

// The columns of `known` that `names` asks for. INVALID_ARGUMENT: an unknown one.
template <typename Row>
absl::StatusOr<std::vector<Column<Row>>> PickColumns(const std::vector<Column<Row>>& known,
                                                     const std::vector<std::string>& names) {
  std::vector<Column<Row>> picked;
  for (const std::string& name : names) {
    const size_t before = picked.size();
    for (const Column<Row>& column : known) {
      if (column.name == name) picked.push_back(column);
    }
    if (picked.size() == before) {
      return absl::InvalidArgumentError(absl::StrCat("unknown column: ", name));
    }
  }
  return picked;
}

// A table of these columns.
template <typename Row, typename Rows>
absl::StatusOr<std::string> TableOf(const Rows& rows, const std::vector<Column<Row>>& known,
                                    const std::vector<std::string>& names) {
  const auto columns = PickColumns(known, names);
  if (!columns.ok()) return columns.status();
  std::vector<std::vector<std::string>> cells = {names};
  for (const Row& row : rows) {
    cells.emplace_back();
    for (const Column<Row>& column : *columns) cells.back().push_back(column.cell(row));
  }
  return TextTable(cells);
}

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_TEXT_TABLE_H_
