#include "engine/priority/ranking/limit_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "engine/priority/jobs/factor_scale.h"
#include "engine/priority/jobs/job_demand.h"
#include "engine/priority/jobs/tres_reader.h"
#include "engine/priority/ranking/limit_rooms.h"
#include "engine/priority/site/job_prices.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::priority {
namespace {

constexpr double kTolerance = Limits::kTolerance;
// The time limit that Slurm assumes for a running job without one.
constexpr double kLongestSeconds = 4294967295.0 * 60;

absl::Duration PartitionTime(const Snapshot& snapshot, int partition, std::optional<double> wall) {
  if (wall.has_value()) {
    const absl::Duration most = absl::Seconds(*wall);
    return partition < 0 ? most : std::min(most, snapshot.partitions()[partition].max_time);
  }
  if (partition < 0) return absl::InfiniteDuration();
  const Partition& defaults = snapshot.partitions()[partition];
  return defaults.default_time.value_or(defaults.max_time);
}

// The latest end of a started job's usage that is recorded, at least its start.
absl::Time RecordedUntil(const Snapshot& snapshot, const Job& job) {
  if (job.state == JobState::kPending || !job.start_time.has_value()) return snapshot.computed_at();
  return std::max(snapshot.RecordedUntil(job.job_id), *job.start_time);
}

// The time limit of a pending job; for a started job the rest of it.
double SecondsOf(const Snapshot& snapshot, const Job& job, absl::Duration limit) {
  if (job.state == JobState::kPending) return absl::ToDoubleSeconds(limit);
  if (!job.start_time.has_value()) return SecondsLeft(limit, absl::ZeroDuration());
  return SecondsLeft(limit, RecordedUntil(snapshot, job) - *job.start_time);
}

}  // namespace

absl::Duration TimeLimitOf(const Snapshot& snapshot, const Job& job, const JobTable& table,
                           size_t row) {
  if (job.time_limit.has_value()) return *job.time_limit;
  const Limits& limits = snapshot.limits();
  const int partition = table.partition[row];
  const Limits::QosChain& qos = limits.OfQos(limits.OrderOf(partition, table.qos[row]));
  return PartitionTime(snapshot, partition,
                       limits.MaxWallOf(table.association[table.job[row]], qos));
}

double SecondsLeft(absl::Duration limit, absl::Duration recorded) {
  return std::clamp(absl::ToDoubleSeconds(limit - recorded), 0.0, kLongestSeconds);
}

// Reads the demands of jobs; looks TRES up once for all rows of a job.
class LimitDemands::Reader {
 public:
  Reader(const Snapshot& snapshot, std::vector<double>* wanted)
      : snapshot_(snapshot),
        tres_(snapshot.limits().tres()),
        billing_(snapshot),
        billing_column_(snapshot.limits().TresIndexOf("billing")),
        wanted_(*wanted) {
    for (int i = 0; i < static_cast<int>(snapshot.limits().tres().size()); ++i) {
      if (snapshot.limits().IsPriced(i)) priced_.push_back(i);
    }
  }

  void AddRow(const Job& job, const JobTable& table, size_t row) {
    Add(job, table.partition[row], table.qos[row], TimeLimitOf(snapshot_, job, table, row));
  }

  // Appends the columns of a job with that time limit.
  void Add(const Job& job, int partition, int qos, absl::Duration time) {
    if (&job != read_ || snapshot_.gives_defaults()) {
      counts_ = tres_.Read(job, snapshot_.job_defaults(partition));
    }
    read_ = &job;
    wanted_.push_back(SecondsOf(snapshot_, job, time));
    wanted_.push_back(NodesOf(job));
    const double seconds = *(wanted_.end() - 2);
    wanted_.insert(wanted_.end(), counts_.begin(), counts_.end());
    double* const counts = wanted_.data() + wanted_.size() - counts_.size();
    if (billing_column_ >= 0) counts[billing_column_] = billing_.Count(job, partition);
    if (!priced_.empty()) SetPrices(job, partition, qos, seconds, counts);
  }

 private:
  // Sets the average costs of a second, so that the demand for all seconds is the price of the job.
  void SetPrices(const Job& job, int partition, int qos, double seconds, double* counts) {
    TresMap tres;
    FillTres(job, tres, snapshot_.job_defaults(partition));
    tres["billing"] = billing_.Count(job, partition);
    const auto count = [&tres](const std::string& name) {
      const auto found = tres.find(name);
      return found == tres.end() ? 0 : found->second;
    };
    const double longest = absl::ToDoubleSeconds(kLongestPriced);
    const PricedJob priced = {
        .partition = partition < 0 ? absl::string_view() : snapshot_.partitions()[partition].name,
        .qos = qos < 0 ? absl::string_view() : snapshot_.qos()[qos].name,
        .start = RecordedUntil(snapshot_, job),
        .time = absl::Seconds(std::min(seconds, longest)),
        .count = count};
    for (const int i : priced_) {
      const double cost = snapshot_.prices()->CostOf(snapshot_.limits().tres()[i], priced);
      // Without a time limit the demand is infinite, if it is not 0.
      const bool is_endless = std::isinf(seconds);
      counts[i] = cost == 0 ? 0 : is_endless ? 1 : cost / seconds;
    }
  }

  const Snapshot& snapshot_;
  TresReader tres_;
  JobBilling billing_;
  const int billing_column_;
  std::vector<int> priced_;  // Columns of money.
  std::vector<double>& wanted_;
  const Job* read_ = nullptr;
  absl::Span<const double> counts_;  // Of the current job, with the memory of the row.
};

LimitDemands::LimitDemands(const Snapshot& snapshot, absl::Span<const Job> jobs,
                           const JobTable& table) {
  const Limits& limits = snapshot.limits();
  if (limits.empty()) return;
  width_ = kColumns + limits.tres().size();
  wanted_.reserve(table.rows() * width_);
  tasks_.reserve(jobs.size());
  Reader reader(snapshot, &wanted_);
  for (uint32_t i = 0; i < jobs.size(); ++i) {
    tasks_.push_back(jobs[i].array_tasks);
    const uint32_t end = table.first_row[i + 1];
    for (uint32_t row = table.first_row[i]; row < end; ++row) reader.AddRow(jobs[i], table, row);
    const bool started = jobs[i].state != JobState::kPending;
    if (started && table.association[i] != kNoAssociation && table.first_row[i] == end) {
      without_rows_.push_back(i);
    }
  }
  for (const uint32_t i : without_rows_) {
    reader.Add(jobs[i], -1, -1, jobs[i].time_limit.value_or(absl::InfiniteDuration()));
  }
}

void LimitDemands::Append(const Snapshot& snapshot, const Job& job, const JobTable& table) {
  const Limits& limits = snapshot.limits();
  if (limits.empty()) return;
  width_ = kColumns + limits.tres().size();
  tasks_.push_back(job.array_tasks);
  Reader reader(snapshot, &wanted_);
  for (size_t row = table.first_row[table.jobs() - 1]; row < table.rows(); ++row) {
    reader.AddRow(job, table, row);
  }
}

double LimitDemands::Of(size_t row, const Limit& limit) const {
  const double* columns = wanted_.data() + row * width_;
  const double count = limit.tres < 0 ? 1 : columns[kColumns + limit.tres];
  switch (limit.rule().measure) {
    case LimitMeasure::kJobs:
      return 1;
    case LimitMeasure::kWall:
      return columns[kSeconds];
    case LimitMeasure::kTres:
      return count;
    case LimitMeasure::kTresPerNode:
      return count / columns[kNodes];
    case LimitMeasure::kTresSeconds:
      return count == 0 ? 0 : count * columns[kSeconds];
  }
  return 0;
}

CountedJob LimitDemands::Counted(const Snapshot& snapshot, const JobTable& table,
                                 uint32_t job) const {
  CountedJob counted;
  counted.association = table.association[job];
  size_t row = table.first_row[job];
  const bool has_rows = row < table.first_row[job + 1];
  if (has_rows) {
    counted.qos = snapshot.limits().OrderOf(table.partition[row], table.qos[row]);
  } else {
    const auto found = std::lower_bound(without_rows_.begin(), without_rows_.end(), job);
    if (found == without_rows_.end() || *found != job) return CountedJob();
    row = table.rows() + (found - without_rows_.begin());
  }
  const Limits::QosChain& qos = snapshot.limits().OfQos(counted.qos);
  const absl::Span<const double> columns = Columns(row);
  counted.jobs = tasks_[job];
  counted.running = !has_rows || table.Running(row);
  counted.priced_seconds = counted.running ? columns[kSeconds] : 0;
  counted.seconds = counted.priced_seconds * qos.usage_factor;
  counted.tres = columns.subspan(kColumns);
  return counted;
}

void LimitDemands::CountAll(const Snapshot& snapshot, const JobTable& table, bool there,
                            LimitCounts* counts) const {
  for (uint32_t job = 0; job < table.jobs() && !empty(); ++job) {
    counts->Count(snapshot.limits(), Counted(snapshot, table, job), there);
  }
}

void LimitDemands::CountRunning(const Snapshot& snapshot, const JobTable& table,
                                LimitCounts* counts) const {
  const auto count = [&](uint32_t job) {
    counts->Count(snapshot.limits(), Counted(snapshot, table, job), true);
  };
  for (uint32_t job = 0; job < table.jobs() && !empty(); ++job) {
    const size_t row = table.first_row[job];
    if (row < table.first_row[job + 1] && table.Running(row)) count(job);
  }
  for (const uint32_t job : without_rows_) count(job);
}

LimitCheck::LimitCheck(const Snapshot& snapshot, const LimitCounts& counts, absl::Time as_of)
    : snapshot_(snapshot),
      limits_(snapshot.limits()),
      counts_(counts),
      safe_(snapshot.policy().enforce.safe) {
  if (limits_.empty()) return;
  if (const UsageDecay* decay = snapshot.decay(); decay != nullptr) {
    const absl::Time from = snapshot.computed_at();
    kept_.usage = decay->Carry(1, from, std::max(from, as_of));
    kept_.no_decay = UsageDecay({}, decay->reset()).Carry(1, from, std::max(from, as_of));
  }
}

LimitCheck::Judged LimitCheck::Judge(const JobTable& table, const LimitDemands& demands, size_t row,
                                     bool alone) const {
  return {demands, row, table.association[table.job[row]],
          limits_.OfQos(limits_.OrderOf(table.partition[row], table.qos[row])), alone};
}

ExceededLimit LimitCheck::SumOf(const Judged& judged, const Limit& limit, bool alone) const {
  ExceededLimit sum;
  sum.limit = &limit;
  sum.bound = Limits::BoundOf(limit, judged.qos);
  sum.wanted = judged.demands.Of(judged.row, limit);
  if (alone) return sum;
  sum.used = UsedOf(limit);
  sum.running = counts_.Running(limits_, limit, judged.association);
  return sum;
}

// Money counts without UsageFactor.
bool LimitCheck::IsFree(const Limit& limit, const Limits::QosChain& qos) const {
  return qos.usage_factor == 0 && limit.kind == LimitKind::kGrpTresMins &&
         !IsPrice(limits_.tres()[limit.tres]);
}

bool LimitCheck::Decays(const Limit& limit) const {
  return !limit.of_qos() || !snapshot_.qos()[limit.qos].no_decay;
}

void LimitCheck::RaiseTo(const ExceededLimit& sum, Kept* fits) const {
  if (sum.used == 0 || sum.limit->of_grant()) return;
  const double most = safe_ ? sum.bound * (1 + kTolerance) - sum.running - sum.wanted
                            : sum.bound * (1 - kTolerance);
  double& kept = Decays(*sum.limit) ? fits->usage : fits->no_decay;
  kept = std::max(kept, most / sum.limit->used);
}

double LimitCheck::RoomUnder(const Limit& limit, const Limits::QosChain& qos,
                             AssociationIndex association, bool running) const {
  const double bound = Limits::BoundOf(limit, qos);
  const double runs = running ? counts_.Running(limits_, limit, association) : 0;
  if (!limit.rule().counts_usage) return bound - runs;
  const double used = IsFree(limit, qos) ? 0 : UsedOf(limit);
  if (CountsDemand(limit)) return bound - used - runs;
  const bool spent = !IsFree(limit, qos) && used >= bound * (1 - kTolerance);
  return spent ? -1 : std::numeric_limits<double>::infinity();
}

bool LimitCheck::Exceeded(const Judged& judged, const ExceededLimit& sum, bool alone) const {
  const LimitRule& rule = sum.limit->rule();
  const double most = sum.bound * (1 + kTolerance);
  if (rule.is_least) return sum.wanted * (1 + kTolerance) < sum.bound;
  if (sum.wanted == 0 && sum.limit->tres != Limit::kNoTres) return false;
  if (alone || !rule.counts_usage) return sum.running + sum.wanted > most;
  const bool free = IsFree(*sum.limit, judged.qos);
  if (!CountsDemand(*sum.limit)) return !free && sum.used >= sum.bound * (1 - kTolerance);
  return (free ? 0 : sum.used) + sum.running + sum.wanted > most;
}

std::optional<ExceededLimit> LimitCheck::FirstOf(const Judged& judged,
                                                 absl::Span<const int32_t> chain,
                                                 bool of_nodes) const {
  const bool alone = judged.alone || of_nodes;
  for (const int32_t index : chain) {
    const Limit& limit = limits_.limits()[index];
    if (limits_.IsReplaced(limit, judged.qos)) continue;
    // A limit on the number of jobs depends on other jobs only.
    const bool of_others = limit.rule().measure == LimitMeasure::kJobs;
    if (judged.alone && (of_others || limit.of_grant())) continue;
    const ExceededLimit sum = SumOf(judged, limit, alone);
    if (Exceeded(judged, sum, alone)) return sum;
  }
  return std::nullopt;
}

std::optional<ExceededLimit> LimitCheck::First(const Judged& judged) const {
  const Limits::Chain& qos = judged.qos.chain;
  const Limits::Chain& association = limits_.OfAssociation(judged.association);
  const struct {
    absl::Span<const int32_t> chain;
    bool of_nodes;
  } kOrder[] = {{qos.first, false},        {association.first, false}, {qos.nodes, true},
                {association.nodes, true}, {qos.second, false},        {association.second, false}};
  for (const auto& part : kOrder) {
    auto exceeded = FirstOf(judged, part.chain, part.of_nodes);
    if (exceeded.has_value()) return exceeded;
  }
  return std::nullopt;
}

std::optional<ExceededLimit> LimitCheck::FirstExceeded(const JobTable& table,
                                                       const LimitDemands& demands,
                                                       size_t row) const {
  return First(Judge(table, demands, row, false));
}

std::optional<ExceededLimit> LimitCheck::FirstExceededAlone(const JobTable& table,
                                                            const LimitDemands& demands,
                                                            size_t row) const {
  return First(Judge(table, demands, row, true));
}

void LimitCheck::ForEachLimited(
    const JobTable& table, const LimitDemands& demands, LimitRooms& rooms,
    absl::FunctionRef<void(size_t row, const ExceededLimit&)> found) const {
  for (size_t row = 0; row < table.rows() && !limits_.empty(); ++row) {
    if (table.Running(row) || table.reason[row] < Reason::kLimit) continue;
    if (rooms.Fit(table, demands, row)) continue;
    const std::optional<ExceededLimit> exceeded = FirstExceeded(table, demands, row);
    if (exceeded.has_value()) found(row, *exceeded);
  }
}

void LimitCheck::Apply(const LimitDemands& demands, JobTable& table) const {
  LimitRooms rooms(*this);
  ForEachLimited(table, demands, rooms, [&table](size_t row, const ExceededLimit&) {
    table.reason[row] = Reason::kLimit;
  });
}

}  // namespace priorityd::priority
