#include "server/api/administration/configuration_pages.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "server/administration/changes/configuration_change.h"

namespace priorityd::rpc {
namespace {

using administration::TreeSlice;
using administration::UsersByName;
using authorization::Visibility;

// The visible associations that match, in order.
struct ListedTree {
  TreeSlice tree;
  std::vector<int64_t> ids;
};

absl::StatusOr<ListedTree> ReadTree(storage::Transaction& transaction, int32_t cluster_id,
                                    const administration::AssociationFilter& where,
                                    const Visibility& sees) {
  auto tree = where.empty() ? administration::ReadOutline(transaction, cluster_id)
                            : administration::ReadFitting(transaction, cluster_id, where);
  if (!tree.ok()) return tree.status();
  auto users = where.only_defaults ? administration::ReadUsers(transaction, cluster_id, {})
                                   : absl::StatusOr<UsersByName>(UsersByName());
  if (!users.ok()) return users.status();
  ListedTree listed{*std::move(tree), {}};
  for (const int64_t id : administration::Fitting(where, listed.tree, *users)) {
    const storage::Association& row = *listed.tree.ById(id);
    if (sees.sees_all() || sees.SeesShares(row.user_name, row.account)) listed.ids.push_back(id);
  }
  return listed;
}

using Way = std::vector<int64_t>;

// The path from root; paths sort in tree order.
Way WayTo(const TreeSlice& tree, int64_t id) {
  Way way;
  for (const auto* row = tree.ById(id); row != nullptr; row = tree.Parent(*row)) {
    way.push_back(row->id);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

AssociationPlace PlaceOf(const TreeSlice& tree, int64_t id) {
  return {id, 0, {absl::StrJoin(WayTo(tree, id), ".")}};
}

// The start of the page after `place`, whose association may be gone.
std::vector<int64_t>::const_iterator After(const AssociationPlace& place,
                                           const ListedTree& listed) {
  const auto found = std::find(listed.ids.begin(), listed.ids.end(), place.after);
  if (found != listed.ids.end()) return std::next(found);
  Way gone;
  for (absl::string_view id : absl::StrSplit(place.texts.front(), '.')) {
    if (!absl::SimpleAtoi(id, &gone.emplace_back())) gone.pop_back();
  }
  return std::find_if(listed.ids.begin(), listed.ids.end(),
                      [&](int64_t id) { return WayTo(listed.tree, id) > gone; });
}

// Users with a visible association, with one of `accounts` if given.
absl::StatusOr<std::set<std::string>> ShownUsers(storage::Transaction& transaction,
                                                 int32_t cluster_id, const UsersByName& users,
                                                 const std::vector<std::string>& accounts,
                                                 const Visibility& sees) {
  administration::AssociationFilter filter;
  for (const auto& [name, user] : users) filter.users.push_back(name);
  filter.accounts = accounts;
  std::set<std::string> shown;
  if (filter.users.empty()) return shown;
  auto tree = administration::ReadFitting(transaction, cluster_id, filter);
  if (!tree.ok()) return tree.status();
  for (const int64_t id : administration::Fitting(filter, *tree, {})) {
    const storage::Association& row = *tree->ById(id);
    if (sees.SeesShares(row.user_name, row.account)) shown.insert(row.user_name);
  }
  return shown;
}

// Whether the user matches by visible accounts: others must not be revealed.
bool FitsByWhatIsShown(const administration::UserFilter& where, const storage::ClusterUser& user,
                       const Visibility& sees) {
  const auto shown = [&](const std::string& account) {
    return sees.SeesShares(user.name, account);
  };
  const auto coordinates = [&](const std::string& account) {
    return shown(account) && absl::c_linear_search(user.coordinated, account);
  };
  return (where.default_accounts.empty() || shown(user.default_account)) &&
         (where.coordinated_accounts.empty() ||
          absl::c_any_of(where.coordinated_accounts, coordinates));
}

absl::Status KeepShown(storage::Transaction& transaction, int32_t cluster_id,
                       const administration::UserFilter& where, const Visibility& sees,
                       UsersByName* users) {
  if (sees.sees_all()) return absl::OkStatus();
  auto shown = ShownUsers(transaction, cluster_id, *users, where.accounts, sees);
  if (!shown.ok()) return shown.status();
  std::erase_if(*users, [&](const auto& user) {
    return shown->count(user.first) == 0 || !FitsByWhatIsShown(where, user.second, sees);
  });
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<AssociationPage> ReadAssociationPage(storage::Transaction& transaction,
                                                    const std::string& cluster,
                                                    const administration::AssociationFilter& where,
                                                    const Visibility& sees,
                                                    const std::optional<AssociationPlace>& given,
                                                    size_t size) {
  auto found = administration::FindWithEtag(transaction, cluster);
  if (!found.ok()) return found.status();
  const int32_t cluster_id = found->cluster.id;
  auto listed = ReadTree(transaction, cluster_id, where, sees);
  if (!listed.ok()) return listed.status();
  AssociationPage page;
  page.etag = std::move(found->etag);
  const auto begin = given.has_value() ? After(*given, *listed) : listed->ids.cbegin();
  const auto rest = static_cast<size_t>(std::distance(begin, listed->ids.cend()));
  page.ids.assign(begin, begin + std::min(size, rest));
  if (rest > size) page.next = PlaceOf(listed->tree, page.ids.back());
  page.tree = std::move(listed->tree);
  if (!where.empty()) return page;
  auto whole = administration::ReadWithWays(transaction, cluster_id, page.ids);
  if (!whole.ok()) return whole.status();
  page.tree = *std::move(whole);
  return page;
}

absl::StatusOr<UserPage> ReadUserPage(storage::Transaction& transaction, const std::string& cluster,
                                      const administration::UserFilter& where,
                                      const Visibility& sees, const std::optional<UserPlace>& given,
                                      size_t size) {
  auto found = administration::FindWithEtag(transaction, cluster);
  if (!found.ok()) return found.status();
  const int32_t cluster_id = found->cluster.id;
  UserPage page;
  page.etag = std::move(found->etag);
  std::string after = given.has_value() ? given->texts.front() : "";
  bool is_all = false;
  while (!is_all && page.users.size() <= size) {
    auto slice = administration::ReadUserSlice(transaction, cluster_id, where, after,
                                               static_cast<int64_t>(size) + 1);
    if (!slice.ok()) return slice.status();
    absl::Status status = KeepShown(transaction, cluster_id, where, sees, &slice->fitting);
    if (!status.ok()) return status;
    page.users.merge(slice->fitting);
    is_all = slice->is_all;
    after = std::move(slice->last);
  }
  if (page.users.size() <= size) return page;
  page.users.erase(std::next(page.users.begin(), static_cast<ptrdiff_t>(size)), page.users.end());
  page.next = UserPlace{0, 0, {std::prev(page.users.end())->first}};
  return page;
}

}  // namespace priorityd::rpc
