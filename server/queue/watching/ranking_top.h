// The top of the start order at one moment, and the difference between two tops.
#ifndef PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_TOP_H_
#define PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_TOP_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "engine/priority/jobs/factors.h"

namespace priorityd::queue {

// The forecast of a job's start: a tenth, half and nine tenths of such jobs have started by these
// times.
struct ForecastStart {
  absl::Time q10;
  absl::Time q50;
  absl::Time q90;
  bool by_forest = false;  // Else by the table of waits.

  bool operator==(const ForecastStart&) const = default;
};

// One job in one of its partitions under one of its QOS. Owns its texts, since a top outlives its
// queue. Identified by job, partition and QOS.
struct TopRow {
  std::string job_id;
  std::string partition;  // Empty = none.
  std::string qos;        // Empty = none.
  uint32_t rank = 0;      // From 1; without gaps unless `others` > 0.
  std::optional<uint32_t> priority;
  bool best_of_job = false;
  std::string user;
  std::string account;
  uint32_t priority_tier = 0;          // Of the partition.
  std::optional<ForecastStart> start;  // Only with forecasts.

  // --- Only with factors ----------------------------------------------------------

  std::unique_ptr<const priority::PriorityFactors> factors;
  std::unique_ptr<const priority::PriorityFactors> contributions;
};

// A job that cannot start, with the pair that determines the reason.
struct WaitingJob {
  TopRow row;  // Without rank; partition and QOS are empty if the job names none that exists.
  std::string reason;   // Slurm's name.
  std::string message;  // The reason as a sentence; empty if hidden.
};

struct RankingTop {
  std::string cluster;
  int64_t generation = 0;  // Of the snapshot; so are the next two.
  absl::Time computed_at;
  int64_t policy_version = 0;
  absl::Time as_of;
  std::vector<std::string> tres;  // Of factors and contributions.
  std::vector<TopRow> rows;       // In start order.
  size_t ranked_total = 0;        // All rows of the start order, including those below the top.
  size_t others = 0;              // Hidden rows of the top.
  // If requested, in order of job_id.
  std::vector<WaitingJob> ineligible;
  size_t ineligible_total = 0;  // Including jobs beyond the limit; 0 if not requested.
  // The source queue while it is in use.
  std::weak_ptr<const void> source;
};

// Removing `left` and inserting `entered` and `changed` at their ranks turns the rows before into
// the rows after. Removing `eligible` and inserting `ineligible` does the same for the ineligible
// jobs.
struct TopDelta {
  struct Changed {
    uint32_t before;  // Indices into the rows.
    uint32_t after;
  };
  std::vector<uint32_t> entered;  // Indices into the rows after, ascending.
  std::vector<uint32_t> left;     // Indices into the rows before, ascending.
  std::vector<Changed> changed;   // By `after`, ascending. In rank or in anything else.
  // Indices into the ineligible jobs after, ascending: new or changed ones.
  std::vector<uint32_t> ineligible;
  // Indices into the ineligible jobs before, ascending: those no longer among them.
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
