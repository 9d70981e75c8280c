// The counters of a group of batches, as records for the ledger.
#ifndef PRIORITYD_SERVER_USAGE_COUNTERS_H_
#define PRIORITYD_SERVER_USAGE_COUNTERS_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "server/usage/price_book.h"
#include "server/usage/priced_batch.h"
#include "storage/ledger_store.h"
#include "storage/running_job_store.h"

namespace priorityd::usage {

// A batch and its results, as far as they are known.
struct BatchResults {
  const QueuedBatch* batch = nullptr;
  RecordResults results;
};

// By source and job_id.
using RunningJobs = std::map<std::pair<std::string, std::string>, storage::RunningJob>;

// The jobs that have counters in `batches`, as they are before their first ones.
RunningJobs NewJobsOf(absl::Span<BatchResults* const> batches);

// The record that counters came to, and where its result goes.
struct Interval {
  BatchResults* batch = nullptr;
  size_t place = 0;
  storage::UsageRecord record;
};

// Makes a record of every counters in `batches`, in their order, and brings `jobs` up to
// them; those that come to none have their result afterwards. REQUIRES: the batches are
// priced by `book`, and `jobs` has all of NewJobsOf.
std::vector<Interval> TakeCounters(absl::Span<BatchResults* const> batches, const PriceBook& book,
                                   RunningJobs* jobs);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_COUNTERS_H_
