#include "tests/oracle/tsv.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace priorityd {

std::vector<std::string> ReadLines(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    std::cerr << "cannot read " << path << "\n";
    std::abort();
  }
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::vector<TsvRow> ReadTsv(const std::string& path) {
  const std::vector<std::string> lines = ReadLines(path);
  const std::vector<std::string> columns = absl::StrSplit(lines.at(0), '\t');
  std::vector<TsvRow> rows;
  for (size_t line = 1; line < lines.size(); ++line) {
    const std::vector<std::string> values = absl::StrSplit(lines[line], '\t');
    TsvRow& row = rows.emplace_back();
    for (size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values.at(i);
  }
  return rows;
}

int64_t IntegerOf(const std::string& text) {
  int64_t integer = 0;
  if (!absl::SimpleAtoi(text, &integer)) std::abort();
  return integer;
}

double NumberOf(const std::string& text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) std::abort();
  return number;
}

std::optional<double> NumberIn(const TsvRow& row, const std::string& column) {
  const auto found = row.find(column);
  if (found == row.end() || found->second.empty()) return std::nullopt;
  return NumberOf(found->second);
}

}  // namespace priorityd
