#include "engine/laboratory/job_queue.h"

#include <algorithm>
#include <utility>

#include "engine/priority/ranking/accrue_limits.h"
#include "engine/priority/ranking/scoring.h"

namespace priorityd::laboratory {
namespace {

// With fewer jobs that have started, their rows are not worth dropping.
constexpr size_t kFewStarted = 64;

}  // namespace

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

JobQueue::JobQueue(absl::Span<const HistoryJob> history, const priority::Snapshot& idle,
                   LimitGate* gate)
    : history_(history),
      idle_(idle),
      gate_(*gate),
      idle_scale_(idle),
      builder_(idle_scale_, absl::InfiniteFuture()),
      accrue_limited_(priority::HasAccrueLimits(idle)),
      tiers_(std::make_shared<const priority::StartOrder::Tiers>(idle.partitions())) {}

void JobQueue::Add(size_t job, absl::Span<const int> kinds, int nodes) {
  if (jobs_.size() > 2 * waiting() + kFewStarted) Compact();
  const priority::Job engine = ToEngine(history_[job]);
  const auto first = static_cast<uint32_t>(table_.rows());
  builder_.Append(engine, &table_);
  demands_.Append(idle_, engine, table_);
  place_of_[job] = static_cast<uint32_t>(jobs_.size());
  jobs_.push_back(job);
  const auto rows = static_cast<uint32_t>(table_.rows());
  for (uint32_t row = first; row < rows; ++row) {
    const int kind = kinds[(row - first) * kinds.size() / (rows - first)];
    rows_.push_back({job, kind, nodes, gate_.ClassOf(table_, demands_, row)});
  }
  if (scale_.has_value()) Update(first);
}

void JobQueue::Remove(size_t job) {
  const auto place = place_of_.find(job);
  for (uint32_t row = table_.first_row[place->second]; row < table_.first_row[place->second + 1];
       ++row) {
    table_.flags[row] |= priority::JobTable::kRunning;
  }
  place_of_.erase(place);
}

void JobQueue::Compact() {
  std::vector<size_t> jobs;
  std::vector<priority::Job> engine;
  std::vector<Row> rows;
  for (uint32_t i = 0; i < jobs_.size(); ++i) {
    if (!place_of_.contains(jobs_[i])) continue;
    place_of_[jobs_[i]] = static_cast<uint32_t>(jobs.size());
    jobs.push_back(jobs_[i]);
    engine.push_back(ToEngine(history_[jobs_[i]]));
    rows.insert(rows.end(), rows_.begin() + table_.first_row[i],
                rows_.begin() + table_.first_row[i + 1]);
  }
  jobs_ = std::move(jobs);
  rows_ = std::move(rows);
  table_ = builder_.Build(engine);
  demands_ = priority::LimitDemands(idle_, engine, table_);
  gate_.ForgetClasses();
  for (size_t row = 0; row < rows_.size(); ++row) {
    rows_[row].limits = gate_.ClassOf(table_, demands_, row);
  }
  if (scale_.has_value()) Update(0);
}

void JobQueue::SetSnapshot(const priority::Snapshot& snapshot) {
  scale_.emplace(snapshot);
  Update(0);
}

void JobQueue::Update(size_t first_row) {
  priority::UpdateFairShare(*scale_, first_row, &table_);
  priority::UpdateDemotions(scale_->snapshot(), first_row, &table_);
}

std::vector<priority::Job> JobQueue::Jobs() const {
  std::vector<priority::Job> jobs;
  for (const size_t job : jobs_) {
    if (place_of_.contains(job)) jobs.push_back(ToEngine(history_[job]));
  }
  return jobs;
}

bool JobQueue::AnyFits(absl::FunctionRef<bool(const Row& row)> fits) const {
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    if (!table_.Running(row) && fits(rows_[row])) return true;
  }
  return false;
}

bool JobQueue::AnyStarts(absl::FunctionRef<bool(const Row& row)> fits) const {
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    if (MayStart(row) && fits(rows_[row]) && !IsBlocked(row)) return true;
  }
  return false;
}

void JobQueue::NoteHeld(absl::FunctionRef<bool(const Row& row)> fits,
                        std::set<HeldJob>* held) const {
  for (uint32_t number = 0; number < rows_.size(); ++number) {
    const Row& row = rows_[number];
    if (!MayStart(number) || !fits(row) || !IsBlocked(number)) continue;
    const int32_t grant = gate_.BlockingGrant(row.limits);
    if (grant >= 0) held->insert({static_cast<size_t>(grant), row.job});
  }
}

std::vector<uint32_t> JobQueue::Ranked(absl::Time now) {
  if (accrue_limited_) {
    for (uint8_t& flags : table_.flags) flags &= ~priority::JobTable::kNoAccrual;
    priority::ApplyAccrueLimits(scale_->snapshot(), now, table_);
  }
  priority::Score(table_, *scale_, now, priorities_);
  const priority::StartOrder order(tiers_, table_, {0, 0}, priorities_, now, {});
  struct Keyed {
    uint64_t key;
    uint32_t row;
  };
  std::vector<Keyed> keyed;
  for (uint32_t row = 0; row < rows_.size(); ++row) {
    if (!MayStart(row) || gate_.IsKnownToBlock(rows_[row].limits)) continue;
    keyed.push_back({priority::StartOrder::KeyOf(*tiers_, table_, row, priorities_[row]), row});
  }
  std::sort(keyed.begin(), keyed.end(), [&order](const Keyed& a, const Keyed& b) {
    return a.key != b.key ? a.key < b.key : order.Before(a.row, b.row);
  });
  std::vector<uint32_t> ranked;
  ranked.reserve(keyed.size());
  for (const Keyed& one : keyed) ranked.push_back(one.row);
  return ranked;
}

}  // namespace priorityd::laboratory
