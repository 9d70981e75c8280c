#include "tests/oracle/captured_tree.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd {
namespace {

using Row = std::map<std::string, std::string>;  // By column name.

std::vector<Row> ReadTable(absl::string_view name) {
  const std::string path = absl::StrCat("tests/oracle/fair_share/", name, ".tsv");
  std::ifstream file(path);
  if (!file) {
    std::cerr << "cannot read " << path << "\n";
    std::abort();
  }
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> columns = absl::StrSplit(line, '\t');
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> values = absl::StrSplit(line, '\t');
    Row& row = rows.emplace_back();
    for (size_t i = 0; i < columns.size(); ++i) row[columns[i]] = values.at(i);
  }
  return rows;
}

int64_t IdOf(const std::string& text) {
  int64_t id = 0;
  if (!absl::SimpleAtoi(text, &id)) std::abort();
  return id;
}

double NumberOf(const std::string& text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number)) std::abort();
  return number;
}

std::optional<double> NumberIn(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  if (found == row.end() || found->second.empty()) return std::nullopt;
  return NumberOf(found->second);
}

}  // namespace

std::map<std::string, CapturedTree> ReadCapturedTrees() {
  std::map<std::string, CapturedTree> trees;
  for (const Row& row : ReadTable("trees")) {
    Association a;
    a.id = IdOf(row.at("id"));
    a.parent_id = IdOf(row.at("parent_id"));
    a.account = row.at("account");
    a.user = row.at("user");
    a.partition = row.at("partition");
    const std::string& shares = row.at("raw_shares");
    a.raw_shares = shares == "parent" ? std::nullopt : std::optional<uint32_t>(IdOf(shares));
    CapturedTree& tree = trees[row.at("tree")];
    tree.own_usage[a.id] = row.at("own_usage");
    tree.associations.push_back(std::move(a));
  }
  return trees;
}

std::map<std::string, std::map<int64_t, CapturedShare>> ReadCapturedShares(absl::string_view mode) {
  std::map<std::string, std::map<int64_t, CapturedShare>> shares;
  for (const Row& row : ReadTable(mode)) {
    shares[row.at("tree")][IdOf(row.at("id"))] = {
        NumberIn(row, "norm_shares"),     NumberIn(row, "raw_usage"), NumberIn(row, "norm_usage"),
        NumberIn(row, "effective_usage"), NumberIn(row, "level_fs"),  NumberIn(row, "fair_share")};
  }
  return shares;
}

std::vector<double> OwnUsageColumn(const AssociationTree& tree, const CapturedTree& captured) {
  std::vector<double> column;
  for (const int64_t id : tree.id()) column.push_back(NumberOf(captured.own_usage.at(id)));
  return column;
}

}  // namespace priorityd
