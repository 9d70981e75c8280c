#include "server/rpc/list_shares.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
#include "server/priority/policy.h"
#include "server/rpc/convert_ranking.h"
#include "server/rpc/convert_share.h"
#include "server/rpc/page_token.h"
#include "server/rpc/share_filter.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// The list that the token pins, or the newest one without a token.
absl::StatusOr<std::shared_ptr<const ShareList>> FindList(
    const std::shared_ptr<const priority::Snapshot>& newest, ShareLists& lists,
    const PageToken& token, bool has_token) {
  if (!has_token || token.generation == newest->generation()) return lists.Of(newest);
  std::shared_ptr<const ShareList> list = lists.Find(newest->cluster().name, token.generation);
  if (list != nullptr) return list;
  return errors::WithReason(
      absl::AbortedError("page_token: its snapshot is no longer kept, want the list "
                         "from its beginning"),
      "SNAPSHOT_GONE");
}

}  // namespace

absl::Status ListShares(const recalculation::SnapshotRegistry& registry, ShareLists& lists,
                        const v1::ListSharesRequest& request, v1::ListSharesResponse* response) {
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> newest =
      registry.Find(request.cluster());
  if (!newest.ok()) return newest.status();
  const uint64_t fingerprint = Fingerprint((*newest)->cluster().name, request);
  PageToken token;
  const bool has_token = !request.page_token().empty();
  if (has_token) {
    const std::optional<PageToken> given = DecodePageToken(request.page_token());
    if (!given.has_value() || given->fingerprint != fingerprint) {
      return errors::BadRequestError("INVALID_PAGE_TOKEN",
                                     {{"page_token",
                                       "got one of another request, want the "
                                       "next_page_token of the answer before"}});
    }
    token = *given;
  }
  auto list = FindList(*newest, lists, token, has_token);
  if (!list.ok()) return list.status();

  const priority::Snapshot& snapshot = (*list)->snapshot();
  const std::vector<bool> selected = Select(snapshot.tree(), FilterOf(request));
  const std::vector<priority::AssociationIndex>& order = (*list)->order();
  const int page_size = PageSizeOf(request.page_size());
  for (size_t at = token.position; at < order.size(); ++at) {
    const priority::AssociationIndex i = order[at];
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
      std::string(priority::FairShareAlgorithmName(snapshot.policy().algorithm)));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
