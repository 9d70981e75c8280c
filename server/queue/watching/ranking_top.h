// The top of the start order at one moment, and what changes from one to the next.
#ifndef PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_TOP_H_
#define PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_TOP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "server/priority/factors.h"

namespace priorityd::queue {

// One job in one of its partitions under one of its QOS, with texts of its own: a
// top outlives the queue that it was taken from. Job, partition and QOS name it.
struct TopRow {
  std::string job_id;
  std::string partition;  // Empty = none.
  std::string qos;        // Empty = none.
  uint32_t rank = 0;      // From 1; without gaps unless there are others.
  std::optional<uint32_t> priority;
  bool best_of_job = false;
  std::string user;
  std::string account;
  uint32_t priority_tier = 0;  // Of the partition.

  // --- Only where factors are wanted ---------------------------------------------

  std::unique_ptr<const priority::PriorityFactors> factors;
  std::unique_ptr<const priority::PriorityFactors> contributions;
};

// A job that cannot start, by the pair whose reason it is.
struct WaitingJob {
  TopRow row;          // Without rank; partition and QOS are empty where it names none that exists.
  std::string reason;  // Slurm's word.
  std::string message;  // The same in a sentence; empty where that is not shown.
};

struct RankingTop {
  std::string cluster;
  int64_t generation = 0;  // Of the snapshot; so are the next two.
  absl::Time computed_at;
  int64_t policy_version = 0;
  absl::Time as_of;
  std::vector<std::string> tres;  // Of factors and contributions.
  std::vector<TopRow> rows;       // In start order.
  size_t ranked_total = 0;        // Rows of the start order, those below the top too.
  size_t others = 0;              // Rows of the top that are not shown.
  // Where they are wanted, in the order of their job_id.
  std::vector<WaitingJob> ineligible;
  size_t ineligible_total = 0;  // Those that are not among them too; 0 where they are not wanted.
  // The queue that it was taken from, as long as that is in use.
  std::weak_ptr<const void> source;
};

// With `left` taken out, and `entered` and `changed` put in at their ranks, the rows
// before become the rows after; so do the ineligible jobs with `eligible` taken out and
// `ineligible` put in their places.
struct TopDelta {
  struct Changed {
    uint32_t before;  // Indices into the rows.
    uint32_t after;
  };
  std::vector<uint32_t> entered;  // Indices into the rows after, ascending.
  std::vector<uint32_t> left;     // Indices into the rows before, ascending.
  std::vector<Changed> changed;   // By `after`, ascending. In rank or in anything else.
  // Indices into the ineligible jobs after, ascending: those that are new, or not what they were.
  std::vector<uint32_t> ineligible;
  // Indices into the ineligible jobs before, ascending: those that are not among them any more.
  std::vector<uint32_t> eligible;

  bool empty() const {
    return entered.empty() && left.empty() && changed.empty() && ineligible.empty() &&
           eligible.empty();
  }
};

// REQUIRES: no two rows of one top have the same name, and no two ineligible jobs the same job_id.
TopDelta Compare(const RankingTop& before, const RankingTop& after);

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_TOP_H_
