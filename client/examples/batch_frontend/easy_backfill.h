// Which waiting jobs to start now, and where: the main loop in rank order, then EASY
// backfill (Lifka, "The ANL/IBM SP scheduling system", 1995). Pure: no clock, no I/O.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_EASY_BACKFILL_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_EASY_BACKFILL_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/examples/batch_frontend/nodes.h"

namespace priorityd::batch_frontend {

struct RunningJob {
  Allocation allocation;
  absl::Time latest_end;  // Start plus time limit.
};

struct WaitingJob {
  NodeRequest request;
  absl::Duration time_limit;
};

// A moment of the cluster. `running` holds all that is not free.
struct ClusterMoment {
  absl::Time now;
  FreeCpus free;
  std::vector<RunningJob> running;
};

struct JobStart {
  size_t job = 0;  // Its place among the ranked ones.
  Allocation allocation;
  bool backfilled = false;  // It overtakes the job of the reservation.
};

// What is kept for the first job that did not fit.
struct Reservation {
  size_t job = 0;
  // When it fits at the latest, if every running job takes all its time limit. Jobs
  // that end before their limit make it earlier, the next time one plans.
  absl::Time shadow_time;
  Allocation allocation;
};

struct Schedule {
  std::vector<JobStart> starts;            // In rank order.
  std::optional<Reservation> reservation;  // Unset: no job had to wait for another.
};

// The main loop starts jobs in rank order up to the first that does not fit. That one
// is given a reservation at its shadow time; with `backfill` later ones start if they
// fit and either end by the shadow time, by their time limits, or leave alone what is
// reserved. A job that would not fit on an idle cluster is passed over.
// `ranked`: the waiting jobs in start order, as the service ranks them.
Schedule PlanEasyBackfill(const ClusterMoment& moment, absl::Span<const WaitingJob> ranked,
                          bool backfill);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_EASY_BACKFILL_H_
