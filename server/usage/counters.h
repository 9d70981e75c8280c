// Converts the counters in a group of batches to records for the ledger.
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
#include "storage/ledger/ledger_store.h"
#include "storage/ledger/running_job_store.h"

namespace priorityd::usage {

// A batch and its results so far.
struct BatchResults {
  const QueuedBatch* batch = nullptr;
  RecordResults results;
};

// By source and job_id.
using RunningJobs = std::map<std::pair<std::string, std::string>, storage::RunningJob>;

// The jobs with counters in `batches`, in their state before the first counters.
RunningJobs NewJobsOf(absl::Span<BatchResults* const> batches);

// The record made from counters, and the place of its result.
struct Interval {
  BatchResults* batch = nullptr;
  size_t place = 0;
  storage::UsageRecord record;
};

// Makes a record from each counters in `batches`, in order, and advances `jobs`; sets the result of
// counters that make no record. REQUIRES: the batches are priced by `book`, and `jobs` contains all
// of NewJobsOf.
std::vector<Interval> TakeCounters(absl::Span<BatchResults* const> batches, const PriceBook& book,
                                   RunningJobs* jobs);

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_COUNTERS_H_
