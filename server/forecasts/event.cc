#include "server/forecasts/event.h"

#include <algorithm>
#include <string>

#include "engine/priority/jobs/job_demand.h"

namespace priorityd::forecasts {
namespace {

template <typename Names>
std::string First(const Names& names) {
  return names.empty() ? std::string() : std::string(names.front());
}

}  // namespace

Event MakeEvent(EventKind kind, absl::string_view job_id, int64_t at) {
  Event event;
  event.kind = static_cast<int32_t>(kind);
  event.job_id = std::string(job_id);
  event.at = at;
  return event;
}

Event MakeEvent(EventKind kind, const priority::Job& job, int64_t at) {
  Event event = MakeEvent(kind, job.job_id, at);
  event.cpus = SizeOf(job);
  event.time_limit = LimitOf(job);
  event.user = std::string(job.user);
  event.account = std::string(job.account);
  event.partition = First(job.partitions);
  event.qos = First(job.qos);
  return event;
}

double SizeOf(const priority::Job& job) {
  const double cpus = priority::CpusOf(job);
  return cpus > 0 ? cpus : priority::NodesOf(job);
}

bool FitsCluster(const priority::Job& job, const priority::Cluster& cluster) {
  const double most = priority::CpusOf(job) > 0 ? cluster.cpus : cluster.nodes;
  return most <= 0 || SizeOf(job) <= most;
}

double LimitOf(const priority::Job& job) {
  if (!job.time_limit.has_value() || *job.time_limit == absl::InfiniteDuration()) return 0;
  return std::max(0.0, absl::ToDoubleSeconds(*job.time_limit));
}

forecast::Job JobOf(const Event& event) {
  forecast::Job job{.id = event.job_id,
                    .submit_time = event.at,
                    .cpus = event.cpus,
                    .limit = event.time_limit,
                    .user = event.user,
                    .account = event.account,
                    .partition = event.partition,
                    .qos = event.qos};
  job.known = {.jobs_ahead = event.jobs_ahead,
               .work_ahead = event.work_ahead,
               .priority = event.priority,
               .fair_share = event.fair_share,
               .held_by_limit = event.held_by_limit,
               .planned_wait = event.planned_wait,
               .expected_wait = event.expected_wait,
               .earliest_wait = event.earliest_wait};
  return job;
}

}  // namespace priorityd::forecasts
