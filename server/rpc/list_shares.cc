#include "server/rpc/list_shares.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
#include "server/priority/policy.h"
#include "server/rpc/convert_ranking.h"
#include "server/rpc/convert_share.h"
#include "server/rpc/page_token.h"

namespace priorityd::rpc {
namespace {

namespace v1 = priority::v1;

constexpr int kDefaultPageSize = 10'000;
constexpr int kMaxPageSize = 100'000;

using Names = absl::flat_hash_set<std::string>;

Names NamesOf(const google::protobuf::RepeatedPtrField<std::string>& names) {
  return Names(names.begin(), names.end());
}

// Which associations a request asks for, by AssociationIndex.
std::vector<bool> Select(const AssociationTree& tree, const v1::ListSharesRequest& request) {
  const Names accounts = NamesOf(request.accounts());
  const Names users = NamesOf(request.users());
  std::vector<bool> in_accounts(tree.size());
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    in_accounts[i] = accounts.empty() || accounts.contains(std::string(tree.account(i))) ||
                     (request.subtree() && i > 0 && in_accounts[tree.parent()[i]]);
  }
  if (users.empty() && !request.accounts_only()) return in_accounts;
  // Whether one of the users is at or below.
  std::vector<bool> has_user(tree.size(), users.empty());
  for (AssociationIndex i = tree.size() - 1; i >= 0 && !users.empty(); --i) {
    const bool wanted =
        tree.is_user(i) && in_accounts[i] && users.contains(std::string(tree.user(i)));
    if (wanted) has_user[i] = true;
    if (i > 0 && has_user[i]) has_user[tree.parent()[i]] = true;
  }
  for (AssociationIndex i = 0; i < tree.size(); ++i) {
    const bool kind_wanted = !(request.accounts_only() && tree.is_user(i));
    in_accounts[i] = in_accounts[i] && has_user[i] && kind_wanted;
  }
  return in_accounts;
}

// Of everything that decides which rows there are.
uint64_t Fingerprint(const std::string& cluster, v1::ListSharesRequest request) {
  request.set_cluster(cluster);
  request.clear_page_size();
  request.clear_page_token();
  return std::hash<std::string>()(request.SerializeAsString());
}

int PageSize(const v1::ListSharesRequest& request) {
  return request.page_size() == 0 ? kDefaultPageSize : std::min(request.page_size(), kMaxPageSize);
}

// The list that the token pins, or the newest one without a token.
absl::StatusOr<std::shared_ptr<const ShareList>> FindList(
    const std::shared_ptr<const Snapshot>& newest, ShareLists& lists, const PageToken& token,
    bool has_token) {
  if (!has_token || token.generation == newest->generation()) return lists.Of(newest);
  std::shared_ptr<const ShareList> list = lists.Find(newest->cluster().name, token.generation);
  if (list != nullptr) return list;
  return WithReason(absl::AbortedError("page_token: its snapshot is no longer kept, want the list "
                                       "from its beginning"),
                    "SNAPSHOT_GONE");
}

}  // namespace

absl::Status ListShares(const recalculation::SnapshotRegistry& registry, ShareLists& lists,
                        const v1::ListSharesRequest& request, v1::ListSharesResponse* response) {
  absl::StatusOr<std::shared_ptr<const Snapshot>> newest = registry.Find(request.cluster());
  if (!newest.ok()) return newest.status();
  const uint64_t fingerprint = Fingerprint((*newest)->cluster().name, request);
  PageToken token;
  const bool has_token = !request.page_token().empty();
  if (has_token) {
    const std::optional<PageToken> given = DecodePageToken(request.page_token());
    if (!given.has_value() || given->fingerprint != fingerprint) {
      return BadRequestError("INVALID_PAGE_TOKEN", {{"page_token",
                                                     "got one of another request, want the "
                                                     "next_page_token of the answer before"}});
    }
    token = *given;
  }
  auto list = FindList(*newest, lists, token, has_token);
  if (!list.ok()) return list.status();

  const Snapshot& snapshot = (*list)->snapshot();
  const std::vector<bool> selected = Select(snapshot.tree(), request);
  const std::vector<AssociationIndex>& order = (*list)->order();
  const int page_size = PageSize(request);
  for (size_t at = token.position; at < order.size(); ++at) {
    const AssociationIndex i = order[at];
    if (!selected[i]) continue;
    if (response->shares_size() == page_size) {
      response->set_next_page_token(
          Encode({snapshot.generation(), static_cast<int64_t>(at), fingerprint}));
      break;
    }
    ToProto(snapshot, i, (*list)->rank(i), response->add_shares());
  }
  ToProto(snapshot, response->mutable_snapshot());
  response->set_fair_share_algorithm(
      std::string(FairShareAlgorithmName(snapshot.policy().algorithm)));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
