// Tables of captured figures: tab-separated, the first line names the columns.
#ifndef PRIORITYD_TESTS_ORACLE_TSV_H_
#define PRIORITYD_TESTS_ORACLE_TSV_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace priorityd {

using TsvRow = std::map<std::string, std::string>;  // By column name.

// The lines of a text file; ends the test if it cannot be read.
std::vector<std::string> ReadLines(const std::string& path);

std::vector<TsvRow> ReadTsv(const std::string& path);

// These end the test on a text that is no such number.
int64_t IntegerOf(const std::string& text);
double NumberOf(const std::string& text);
// Unset for an empty value or a missing column.
std::optional<double> NumberIn(const TsvRow& row, const std::string& column);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_ORACLE_TSV_H_
