// Aligned tables for people.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_TABLE_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_TABLE_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace priorityd::prioctl {

// A column's heading and side.
struct Column {
  std::string name;
  bool right = false;  // numbers stand on the right
  size_t wrap = 0;     // a longer cell continues on the lines below, broken at blanks; 0 = never
};

// Gathers rows and prints them under one heading, every column as wide as its
// widest line; nothing is ever cut.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // REQUIRES: one cell per column.
  void AddRow(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  bool empty() const { return rows_.empty(); }

  // Prints heading and rows; nothing at all if there are no rows.
  void Print(std::ostream& out) const;

 private:
  const std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_TABLE_H_
