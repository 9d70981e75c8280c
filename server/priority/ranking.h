// The order in which jobs should start.
#ifndef PRIORITYD_SERVER_PRIORITY_RANKING_H_
#define PRIORITYD_SERVER_PRIORITY_RANKING_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "server/priority/factors.h"
#include "server/priority/job.h"
#include "server/priority/reason.h"
#include "server/priority/snapshot.h"

namespace priorityd::priority {

struct RankOptions {
  // Moves age, begin times and limits, never fair-share.
  absl::Time as_of;
  // Rows wanted at most.
  size_t limit = std::numeric_limits<size_t>::max();
  size_t ineligible_limit = std::numeric_limits<size_t>::max();
  // Only the first row of each job.
  bool best_only = false;
  // Fill factors and contributions.
  bool with_factors = false;
  // Filters by name; empty = all. Rank and best_of_job are those among the rows
  // that pass. Accrue limits still count all jobs.
  std::vector<absl::string_view> partitions;
  std::vector<absl::string_view> accounts;
  std::vector<absl::string_view> users;
};

// What a row says of one job in one of its partitions under one of its QOS.
struct JobRow {
  uint32_t job = 0;    // Index into the jobs given.
  int partition = -1;  // Index into Snapshot::partitions(); -1 = none.
  int qos = -1;        // Index into Snapshot::qos(); -1 = none.
  AssociationIndex association = kNoAssociation;
  // Unset under priority/basic and where it cannot be computed; 0 = held.
  std::optional<uint32_t> priority;
  // Only with_factors and under priority/multifactor, where they can be
  // computed; else null.
  std::unique_ptr<const PriorityFactors> factors;
  std::unique_ptr<const PriorityFactors> contributions;
};

struct RankedRow : JobRow {
  uint32_t rank = 0;  // From 1.
  bool best_of_job = false;
};

// A job that cannot start now: no pair of it can. It is listed once, by the pair
// that comes furthest in the order of docs/semantics.md's reasons (the first
// named, of equals): what has to change for that pair lets the job start.
// partition and qos are that pair's, -1 where it names none that exists.
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

// Ranks `jobs`. Total: a bad job is answered as ineligible. No lock, no I/O.
//
// Pairs of one job that are equal in all else stand in the order the job
// names them (partitions first, then QOS); one named twice counts once. Submit
// times are compared in microseconds.
Ranking Rank(const Snapshot& snapshot, absl::Span<const Job> jobs, const RankOptions& options);

}  // namespace priorityd::priority

#endif  // PRIORITYD_SERVER_PRIORITY_RANKING_H_
