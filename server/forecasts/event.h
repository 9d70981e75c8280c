// The events of a job, from which forecasts learn.
#ifndef PRIORITYD_SERVER_FORECASTS_EVENT_H_
#define PRIORITYD_SERVER_FORECASTS_EVENT_H_

#include <cstdint>

#include "engine/forecast/job.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/queue/state/tracked_job.h"
#include "storage/jobs/forecast_store.h"

namespace priorityd::forecasts {

using Event = storage::ForecastEventRow;

// Stored as these numbers.
enum class EventKind : int32_t {
  kSubmit = 1,  // A job begins to wait for its start.
  kRun = 2,     // A job that was not known to wait runs.
  kStart = 3,   // A job that waits starts.
  kCancel = 4,  // A job that waits leaves the queue, or no longer waits for its start alone.
  kEnd = 5,     // A running job ends.
  kPolicy = 6,  // Of no job: another policy ranks the queue.
};

inline EventKind KindOf(const Event& event) { return static_cast<EventKind>(event.kind); }
Event MakeEvent(EventKind kind, absl::string_view job_id, int64_t at);
// With the properties of the job that a forecast needs, as the frontend sent it.
Event MakeEvent(EventKind kind, const priority::Job& job, int64_t at);

// The size of a job: its CPUs, else its nodes.
double SizeOf(const priority::Job& job);
// Whether the job is no larger than the cluster, as far as its size is known. Another one never
// starts: forecasts leave it out.
bool FitsCluster(const priority::Job& job, const priority::Cluster& cluster);
// Its time limit in seconds; 0 = none or unlimited.
double LimitOf(const priority::Job& job);

// The job of an event that has one.
forecast::Job JobOf(const Event& event);

}  // namespace priorityd::forecasts

#endif  // PRIORITYD_SERVER_FORECASTS_EVENT_H_
