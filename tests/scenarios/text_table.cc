#include "tests/scenarios/text_table.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace priorityd::scenarios {
namespace {

// `-` and `parent` stand where a number could.
bool IsNumber(const std::string& cell) {
  double number;
  return cell == "-" || cell == "parent" || absl::SimpleAtod(cell, &number);
}

std::string Aligned(const std::string& cell, size_t width, bool right) {
  const std::string blanks(width - cell.size(), ' ');
  return right ? blanks + cell : cell + blanks;
}

}  // namespace

std::string ToText(double number) {
  if (!std::isfinite(number)) return absl::StrCat(number);
  std::string text = absl::StrFormat("%.6f", number);
  text.erase(text.find_last_not_of('0') + 1);
  return std::string(absl::StripSuffix(text == "-0." ? "0" : text, "."));
}

std::string TextTable(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> lines(rows.size());
  for (size_t column = 0; column < rows[0].size(); ++column) {
    size_t width = 0;
    for (const auto& row : rows) width = std::max(width, row[column].size());
    const bool right = std::all_of(rows.begin() + 1, rows.end(),
                                   [&](const auto& row) { return IsNumber(row[column]); });
    for (size_t i = 0; i < rows.size(); ++i) {
      absl::StrAppend(&lines[i], column == 0 ? "" : "  ", Aligned(rows[i][column], width, right));
    }
  }
  std::string table;
  for (const std::string& line : lines) {
    absl::StrAppend(&table, absl::StripTrailingAsciiWhitespace(line), "\n");
  }
  return table;
}

}  // namespace priorityd::scenarios
