#include "server/administration/tree/association_filter.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "storage/configuration/association_search.h"

namespace priorityd::administration {
namespace {

using Row = storage::Association;
using NameSet = std::set<std::string>;

NameSet SetOf(const std::vector<std::string>& names) { return NameSet(names.begin(), names.end()); }

bool Fits(const NameSet& wanted, const std::string& name) {
  return wanted.empty() || wanted.count(name) > 0;
}

class Matcher {
 public:
  Matcher(const AssociationFilter& filter, const TreeSlice& tree, const UsersByName& users)
      : filter_(filter),
        tree_(tree),
        by_user_(users),
        accounts_(SetOf(filter.accounts)),
        users_(SetOf(filter.users)),
        partitions_(SetOf(filter.partitions)),
        parents_(SetOf(filter.parents)),
        default_qos_(SetOf(filter.default_qos)) {}

  bool Matches(const Row& row) const {
    return FitsAccount(row) && Fits(users_, row.user_name) && Fits(partitions_, row.partition) &&
           FitsParent(row) && FitsQos(row) &&
           (default_qos_.empty() || Fits(default_qos_, tree_.DefaultQosOf(row))) &&
           FitsDefault(row);
  }

 private:
  bool FitsAccount(const Row& row) const {
    if (accounts_.empty()) return true;
    return filter_.with_sub_accounts ? tree_.IsAtOrBelow(row, accounts_)
                                     : Fits(accounts_, row.account);
  }

  bool FitsParent(const Row& row) const {
    if (parents_.empty()) return true;
    const Row* parent = tree_.Parent(row);
    return parent != nullptr && Fits(parents_, parent->account);
  }

  bool FitsQos(const Row& row) const {
    if (filter_.qos.empty()) return true;
    const std::optional<NameList> list = tree_.QosListOf(row);
    if (!list.has_value() || list->empty()) return true;
    return absl::c_any_of(
        filter_.qos, [&](const std::string& name) { return absl::c_linear_search(*list, name); });
  }

  bool FitsDefault(const Row& row) const {
    if (!filter_.only_defaults || row.user_name.empty()) return true;
    const auto user = by_user_.find(row.user_name);
    return user != by_user_.end() && user->second.default_account == row.account;
  }

  const AssociationFilter& filter_;
  const TreeSlice& tree_;
  const UsersByName& by_user_;
  const NameSet accounts_;
  const NameSet users_;
  const NameSet partitions_;
  const NameSet parents_;
  const NameSet default_qos_;
};

std::optional<std::vector<std::string>> IfAny(const std::vector<std::string>& names) {
  if (names.empty()) return std::nullopt;
  return names;
}

}  // namespace

std::vector<int64_t> Fitting(const AssociationFilter& filter, const TreeSlice& tree,
                             const UsersByName& users) {
  const Matcher matcher(filter, tree, users);
  std::vector<int64_t> ids;
  for (const int64_t id : tree.InTreeOrder()) {
    if (matcher.Matches(*tree.ById(id))) ids.push_back(id);
  }
  return ids;
}

absl::StatusOr<TreeSlice> ReadFitting(storage::Transaction& transaction, int32_t cluster_id,
                                      const AssociationFilter& filter) {
  const bool from_root =
      filter.with_sub_accounts && absl::c_linear_search(filter.accounts, std::string(kRootAccount));
  absl::StatusOr<std::vector<Row>> rows;
  const bool by_names = !filter.accounts.empty() || !filter.users.empty();
  if (!by_names && !filter.parents.empty()) {
    rows = storage::AssociationSearch(transaction)
               .Fitting(cluster_id, {.parents = filter.parents}, /*with_below=*/false);
  } else if (!by_names || from_root) {
    rows = storage::AssociationStore(transaction).List(cluster_id);
  } else if (filter.with_sub_accounts && !filter.accounts.empty()) {
    storage::AssociationSeed seed{
        .accounts = filter.accounts, .users = std::vector<std::string>{""}, .ids = std::nullopt};
    rows = storage::AssociationSearch(transaction).Fitting(cluster_id, seed, /*with_below=*/true);
  } else {
    storage::AssociationSeed seed{
        .accounts = IfAny(filter.accounts), .users = IfAny(filter.users), .ids = std::nullopt};
    rows = storage::AssociationSearch(transaction).Fitting(cluster_id, seed, /*with_below=*/false);
  }
  if (!rows.ok()) return rows.status();
  return TreeSlice(*std::move(rows));
}

absl::StatusOr<TreeSlice> ReadWithWays(storage::Transaction& transaction, int32_t cluster_id,
                                       const std::vector<int64_t>& ids) {
  auto rows =
      storage::AssociationSearch(transaction)
          .Fitting(cluster_id, {.accounts = std::nullopt, .users = std::nullopt, .ids = ids},
                   /*with_below=*/false);
  if (!rows.ok()) return rows.status();
  return TreeSlice(*std::move(rows));
}

absl::StatusOr<TreeSlice> ReadOutline(storage::Transaction& transaction, int32_t cluster_id) {
  auto rows = storage::AssociationSearch(transaction).Outline(cluster_id);
  if (!rows.ok()) return rows.status();
  return TreeSlice(*std::move(rows));
}

}  // namespace priorityd::administration
