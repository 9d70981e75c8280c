// The order in which jobs should start.
#ifndef PRIORITYD_ENGINE_PRIORITY_RANKING_RANKING_H_
#define PRIORITYD_ENGINE_PRIORITY_RANKING_RANKING_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/jobs/factors.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

struct RankOptions {
  // The time of the ranking: age, begin times and limits depend on it, fair-share does not.
  absl::Time as_of;
  // The largest number of rows in the answer.
  size_t limit = std::numeric_limits<size_t>::max();
  size_t ineligible_limit = std::numeric_limits<size_t>::max();
  // Only the first row of each job.
  bool best_only = false;
  // Fill factors and contributions.
  bool with_factors = false;
  // Filters by name; empty = all. `rank` and `best_of_job` are relative to the rows that pass.
  // Accrue limits count all jobs, whatever the filter.
  std::vector<absl::string_view> partitions;
  std::vector<absl::string_view> accounts;
  std::vector<absl::string_view> users;
};

// One job in one of its partitions under one of its QOS.
struct JobRow {
  uint32_t job = 0;    // Index into the ranked jobs.
  int partition = -1;  // Index into Snapshot::partitions(); -1 = none.
  int qos = -1;        // Index into Snapshot::qos(); -1 = none.
  AssociationIndex association = kNoAssociation;
  // Unset under priority/basic and if it cannot be computed; 0 = held.
  std::optional<uint32_t> priority;
  // Null without RankOptions::with_factors, under priority/basic, and if they cannot be computed.
  std::unique_ptr<const PriorityFactors> factors;
  std::unique_ptr<const PriorityFactors> contributions;
};

struct RankedRow : JobRow {
  uint32_t rank = 0;  // From 1.
  bool best_of_job = false;
};

// A job of which no pair can start now. It is listed once, with the pair whose reason comes last in
// the order of Reason (of equals, the pair that the job names first): once that reason is gone, the
// job can start. partition and qos are those of that pair, -1 if the job names none that exists.
struct IneligibleRow : JobRow {
  Ineligibility why;
};

struct Ranking {
  std::vector<RankedRow> ranked;          // In start order.
  std::vector<IneligibleRow> ineligible;  // In the order of the jobs.
  std::vector<JobRow> running;            // In the order of the jobs.
  size_t ranked_total = 0;                // Without the limit.
  size_t ineligible_total = 0;
};

// Ranks `jobs`. Cannot fail: an invalid job is returned as ineligible. Takes no lock and does no
// I/O.
//
// Pairs of one job that are equal otherwise are in the order in which the job names them
// (partitions first, then QOS); duplicates count once. Submit times are compared in microseconds.
Ranking Rank(const Snapshot& snapshot, absl::Span<const Job> jobs, const RankOptions& options);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_RANKING_RANKING_H_
