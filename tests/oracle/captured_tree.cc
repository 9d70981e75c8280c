#include "tests/oracle/captured_tree.h"

#include "absl/strings/str_cat.h"
#include "tests/oracle/tsv.h"

namespace priorityd {
namespace {

std::vector<TsvRow> ReadFairShareTable(absl::string_view name) {
  return ReadTsv(absl::StrCat("tests/oracle/fair_share/", name, ".tsv"));
}

}  // namespace

std::map<std::string, CapturedTree> ReadCapturedTrees() {
  std::map<std::string, CapturedTree> trees;
  for (const TsvRow& row : ReadFairShareTable("trees")) {
    priority::Association a;
    a.id = IntegerOf(row.at("id"));
    a.parent_id = IntegerOf(row.at("parent_id"));
    a.account = row.at("account");
    a.user = row.at("user");
    a.partition = row.at("partition");
    const std::string& shares = row.at("raw_shares");
    a.raw_shares = shares == "parent" ? std::nullopt : std::optional<uint32_t>(IntegerOf(shares));
    CapturedTree& tree = trees[row.at("tree")];
    tree.own_usage[a.id] = row.at("own_usage");
    tree.associations.push_back(std::move(a));
  }
  return trees;
}

std::map<std::string, std::map<int64_t, CapturedShare>> ReadCapturedShares(absl::string_view mode) {
  std::map<std::string, std::map<int64_t, CapturedShare>> shares;
  for (const TsvRow& row : ReadFairShareTable(mode)) {
    shares[row.at("tree")][IntegerOf(row.at("id"))] = {
        NumberIn(row, "norm_shares"),     NumberIn(row, "raw_usage"), NumberIn(row, "norm_usage"),
        NumberIn(row, "effective_usage"), NumberIn(row, "level_fs"),  NumberIn(row, "fair_share")};
  }
  return shares;
}

std::vector<double> OwnUsageColumn(const priority::AssociationTree& tree,
                                   const CapturedTree& captured) {
  std::vector<double> column;
  for (const int64_t id : tree.id()) column.push_back(NumberOf(captured.own_usage.at(id)));
  return column;
}

}  // namespace priorityd
