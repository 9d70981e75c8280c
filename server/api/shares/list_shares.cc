#include "server/api/shares/list_shares.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/priority/site/policy.h"
#include "server/api/budgets/convert_budget.h"
#include "server/api/shared/convert_ranking.h"
#include "server/api/shared/convert_share.h"
#include "server/api/shared/share_filter.h"
#include "server/messages/page_token.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// A page starts after this association, preferably in the list of that snapshot.
struct SharePlace {
  int64_t generation = 0;
  int64_t unused = 0;
  ShareList::Path texts;

  bool IsValid() const { return true; }
};

std::shared_ptr<const ShareList> FindList(const std::shared_ptr<const priority::Snapshot>& newest,
                                          ShareLists& lists,
                                          const std::optional<SharePlace>& place) {
  std::shared_ptr<const ShareList> kept;
  if (place.has_value()) kept = lists.Find(newest->cluster().name, place->generation);
  return kept != nullptr ? kept : lists.Of(newest);
}

void SetRunning(const budgets::JobSums& running, v1::AssociationShare* share) {
  ToMinutes(running.run_seconds, share->mutable_tres_run_mins());
  share->set_running_jobs(static_cast<uint32_t>(running.running));
}

}  // namespace

absl::Status ListShares(const recalculation::SnapshotRegistry& registry,
                        const authorization::Visibility& sees, ShareLists& lists,
                        const budgets::RunningUsage& running, const v1::ListSharesRequest& request,
                        v1::ListSharesResponse* response) {
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> newest =
      registry.Find(request.cluster());
  if (!newest.ok()) return newest.status();
  const PageTokens<SharePlace> tokens((*newest)->cluster().name, request);
  const absl::StatusOr<std::optional<SharePlace>> given = tokens.Given();
  if (!given.ok()) return given.status();
  const std::shared_ptr<const ShareList> list = FindList(*newest, lists, *given);
  const priority::Snapshot& snapshot = list->snapshot();
  const std::vector<bool> selected = Select(snapshot.tree(), FilterOf(request), sees);
  const std::vector<priority::AssociationIndex>& order = list->order();
  const int page_size = PageSizeOf(request.page_size());
  const size_t begin = given->has_value() ? list->PositionAfter((*given)->texts) : 0;
  priority::AssociationIndex last = 0;
  for (size_t at = begin; at < order.size(); ++at) {
    const priority::AssociationIndex i = order[at];
    if (!selected[i]) continue;
    if (response->shares_size() == page_size) {
      response->set_next_page_token(tokens.Next({snapshot.generation(), 0, list->PathOf(last)}));
      break;
    }
    last = i;
    v1::AssociationShare* share = response->add_shares();
    ToProto(snapshot, i, list->rank(i), share);
    SetRunning(running.OfAssociation(snapshot, i), share);
  }
  ToProto(snapshot, response->mutable_snapshot());
  if (!given->has_value()) {
    for (const std::string& tres : TresNames(snapshot)) response->add_tres(tres);
  }
  response->set_fair_share_algorithm(
      std::string(priority::FairShareAlgorithmName(snapshot.policy().algorithm)));
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
