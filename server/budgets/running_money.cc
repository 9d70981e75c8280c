#include "server/budgets/running_money.h"

#include <algorithm>

#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/site/job_prices.h"

namespace priorityd::budgets {

using priority::AssociationIndex;

grants::Amount CostOf(const priority::Snapshot& snapshot, const priority::Job& job, int partition,
                      int qos, absl::Time start, absl::Duration time, grants::PriceBook* book) {
  priority::TresMap tres;
  priority::FillTres(job, tres, snapshot.job_defaults(partition));
  tres["billing"] = priority::JobBilling(snapshot).Count(job, partition);
  const auto count = [&tres](const std::string& name) {
    const auto found = tres.find(name);
    return found == tres.end() ? 0 : found->second;
  };
  const grants::PricedUse use{
      partition < 0 ? absl::string_view() : snapshot.partitions()[partition].name,
      qos < 0 ? absl::string_view() : snapshot.qos()[qos].name, count};
  return book->CostOf(start, start + std::min(time, priority::kLongestPriced), use);
}

grants::Amount RunningMoney::Of(const std::string& tres, const priority::Snapshot& snapshot,
                                AssociationIndex i) {
  const auto book = books_.find(tres);
  if (book == books_.end() || running_.snapshot() == nullptr) return {};
  auto sums = sums_.find(tres);
  if (sums == sums_.end()) sums = sums_.emplace(tres, SumUp(&book->second)).first;
  if (&snapshot != running_.snapshot()) {
    i = running_.snapshot()->tree().FindId(snapshot.tree().id()[i]);
  }
  const auto found = sums->second.find(i);
  return found == sums->second.end() ? grants::Amount() : found->second;
}

RunningMoney::Sums RunningMoney::SumUp(grants::PriceBook* book) const {
  const priority::Snapshot& snapshot = *running_.snapshot();
  Sums sums;
  running_.ForEachJob([&](const RunningJob& of) {
    if (of.association == priority::kNoAssociation) return;
    const grants::Amount cost =
        CostOf(snapshot, of.job, of.partition, of.qos, of.from, of.left, book);
    for (AssociationIndex i = of.association; i != priority::kNoAssociation;
         i = snapshot.tree().parent()[i]) {
      sums[i] += cost;
    }
  });
  return sums;
}

}  // namespace priorityd::budgets
