#include "engine/laboratory/job_queue.h"

#include <algorithm>
#include <utility>

namespace priorityd::laboratory {

priority::Job ToEngine(const HistoryJob& from) {
  priority::Job job;
  job.job_id = from.id;
  job.user = from.user;
  job.account = from.account;
  job.partitions.assign(from.partitions.begin(), from.partitions.end());
  if (!from.qos.empty()) job.qos.push_back(from.qos);
  job.submit_time = from.submit;
  job.eligible_time = from.eligible;
  job.nodes = from.nodes;
  job.cpus = from.cpus;
  for (const auto& [name, count] : from.tres) job.tres.emplace_back(name, count);
  job.time_limit = from.time_limit;
  return job;
}

JobQueue::JobQueue(absl::Span<const HistoryJob> history, bool with_running)
    : history_(history), with_running_(with_running), place_of_(history.size(), 0) {}

void JobQueue::Add(size_t job, absl::Span<const int> kinds, int nodes) {
  place_of_[job] = static_cast<uint32_t>(jobs_.size());
  jobs_.push_back(ToEngine(history_[job]));
  numbers_.push_back(job);
  ++waiting_;
  for (const int kind : kinds) ++counts_[kind][nodes];
  wanted_[job] = {{kinds.begin(), kinds.end()}, nodes};
}

void JobQueue::Start(size_t job, absl::string_view partition, absl::string_view qos,
                     absl::Time start) {
  --waiting_;
  const auto wanted = wanted_.find(job);
  for (const int kind : wanted->second.kinds) {
    auto& by_nodes = counts_[kind];
    if (--by_nodes[wanted->second.nodes] == 0) by_nodes.erase(wanted->second.nodes);
  }
  wanted_.erase(wanted);
  if (!with_running_) return Remove(job);
  priority::Job& runs = jobs_[place_of_[job]];
  runs.state = priority::JobState::kRunning;
  runs.start_time = start;
  runs.partitions.clear();
  if (!partition.empty()) runs.partitions.push_back(partition);
  runs.qos.clear();
  if (!qos.empty()) runs.qos.push_back(qos);
}

void JobQueue::End(size_t job) {
  if (with_running_) Remove(job);
}

void JobQueue::Remove(size_t job) {
  const uint32_t place = place_of_[job];
  if (place + 1 < jobs_.size()) {
    jobs_[place] = std::move(jobs_.back());
    numbers_[place] = numbers_.back();
    place_of_[numbers_[place]] = place;
  }
  jobs_.pop_back();
  numbers_.pop_back();
}

bool JobQueue::AnyFits(absl::FunctionRef<bool(int kind, int nodes)> fits) const {
  return std::any_of(counts_.begin(), counts_.end(), [&](const auto& kind) {
    return !kind.second.empty() && fits(kind.first, kind.second.begin()->first);
  });
}

}  // namespace priorityd::laboratory
