// The most that running jobs may still cost, by price books.
#ifndef PRIORITYD_SERVER_BUDGETS_RUNNING_MONEY_H_
#define PRIORITYD_SERVER_BUDGETS_RUNNING_MONEY_H_

#include <map>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "engine/grants/amount.h"
#include "engine/grants/price_book.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/budgets/running_usage.h"

namespace priorityd::budgets {

// The cost of the job in [start, start + time] in a partition and under a QOS (indices; -1 = none):
// the price of its record, if it then holds what it requests. Of the time, at most
// priority::kLongestPriced counts.
grants::Amount CostOf(const priority::Snapshot& snapshot, const priority::Job& job, int partition,
                      int qos, absl::Time start, absl::Duration time, grants::PriceBook* book);

// Sums over the running jobs of a queue. Thread-compatible.
class RunningMoney {
 public:
  // `running` must outlive it.
  RunningMoney(const RunningUsage& running, grants::PriceBooks books)
      : running_(running), books_(std::move(books)) {}

  // The cost of the jobs of an association of `snapshot`, and of everything below it, from the end
  // of their recorded usage to their time limits, by the book of a TRES. 0 if there is none.
  grants::Amount Of(const std::string& tres, const priority::Snapshot& snapshot,
                    priority::AssociationIndex i);

 private:
  using Sums = absl::flat_hash_map<priority::AssociationIndex, grants::Amount>;

  Sums SumUp(grants::PriceBook* book) const;

  const RunningUsage& running_;
  grants::PriceBooks books_;
  std::map<std::string, Sums> sums_;  // By TRES.
};

}  // namespace priorityd::budgets

#endif  // PRIORITYD_SERVER_BUDGETS_RUNNING_MONEY_H_
