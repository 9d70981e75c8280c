#include "server/recalculation/recalculation_loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "server/configuration/stored_policy.h"
#include "server/errors/error_details.h"
#include "storage/cluster_store.h"
#include "storage/policy_store.h"
#include "storage/recalculation_request_store.h"
#include "storage/snapshot_store.h"

namespace priorityd::recalculation {
namespace {

constexpr absl::Duration kRetryDelay = absl::Seconds(5);
constexpr int kAttempts = 5;
// How often a replica looks for the leader's answer.
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(50);
constexpr absl::Duration kRequestsAreKept = absl::Hours(1);

// What tells when a cluster is recalculated.
struct Standing {
  priority::Policy policy;                // The newest.
  std::optional<absl::Time> computed_at;  // Of the last recalculation.
};

absl::StatusOr<Standing> ReadStanding(storage::Database& database, const std::string& cluster) {
  std::optional<storage::PolicyVersion> version;
  Standing standing;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    auto found = storage::ClusterStore(transaction).Find(cluster);
    if (!found.ok()) return found.status();
    if (!found->has_value()) return absl::NotFoundError("cluster: got an unknown one");
    auto policy = storage::PolicyStore(transaction).Newest((*found)->id);
    if (!policy.ok()) return policy.status();
    version = *std::move(policy);
    auto snapshot = storage::SnapshotStore(transaction).Newest((*found)->id);
    if (!snapshot.ok()) return snapshot.status();
    standing.computed_at.reset();
    if (snapshot->has_value()) standing.computed_at = (*snapshot)->computed_at;
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  absl::StatusOr<slurm::SlurmConf> conf = configuration::ParseStored(version);
  if (!conf.ok()) return conf.status();
  standing.policy = std::move(conf->policy);
  return standing;
}

absl::StatusOr<std::vector<storage::ClusterStanding>> ReadStandings(storage::Database& database) {
  std::vector<storage::ClusterStanding> standings;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    auto read = storage::SnapshotStore(transaction).Standings();
    if (read.ok()) standings = *std::move(read);
    return read.status();
  });
  if (!status.ok()) return status;
  return standings;
}

storage::RecalculationAnswer ToAnswer(
    const absl::StatusOr<std::shared_ptr<const priority::Snapshot>>& snapshot) {
  storage::RecalculationAnswer answer;
  if (snapshot.ok()) {
    answer.generation = (*snapshot)->generation();
  } else {
    answer.status_code = static_cast<int32_t>(snapshot.status().code());
    answer.reason = errors::ReasonOf(snapshot.status());
    answer.message = std::string(snapshot.status().message());
  }
  return answer;
}

absl::Status ToStatus(const storage::RecalculationAnswer& answer) {
  if (answer.status_code == 0) return absl::OkStatus();
  return errors::WithReason(
      absl::Status(static_cast<absl::StatusCode>(answer.status_code), answer.message),
      answer.reason);
}

}  // namespace

absl::Time NextDue(absl::Time anchor, absl::Duration period, absl::Time now) {
  if (now < anchor) return anchor;
  absl::Duration rest;
  const int64_t periods = absl::IDivDuration(now - anchor, period, &rest);
  return anchor + (periods + 1) * period;
}

RecalculationLoop::RecalculationLoop(storage::Database* database, SnapshotRegistry* registry,
                                     Clock clock, LoopOptions options)
    : database_(database),
      registry_(registry),
      clock_(std::move(clock)),
      options_(options),
      recalculator_(database, options.history),
      loader_(database),
      leadership_(database, options.leadership, [this] {
        absl::MutexLock lock(&mutex_);
        news_ = true;
        changed_.SignalAll();
      }) {}

RecalculationLoop::~RecalculationLoop() {
  {
    absl::MutexLock lock(&mutex_);
    stops_ = true;
    changed_.SignalAll();
  }
  if (thread_.joinable()) thread_.join();
  absl::MutexLock lock(&mutex_);
  for (const std::shared_ptr<Demand>& demand : demands_) {
    demand->result.set_value(absl::UnavailableError("the service is stopping"));
  }
}

absl::Status RecalculationLoop::Start() {
  leadership_.Start();
  if (absl::Status caught_up = CatchUp(); !caught_up.ok()) return caught_up;
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> RecalculationLoop::RecalculateNow(
    const std::string& cluster, std::optional<absl::Time> as_of) {
  if (!leads()) return AskLeader(cluster, as_of);
  auto demand = std::make_shared<Demand>();
  demand->cluster = cluster;
  demand->as_of = as_of;
  {
    absl::MutexLock lock(&mutex_);
    if (stops_) return absl::UnavailableError("the service is stopping");
    demands_.push_back(demand);
    changed_.SignalAll();
  }
  auto snapshot = demand->result.get_future().get();
  if (IsNotLeader(snapshot.status())) return AskLeader(cluster, as_of);
  return snapshot;
}

absl::StatusOr<std::optional<absl::Time>> RecalculationLoop::TakeUp(const std::string& cluster) {
  registry_->Add(cluster);
  absl::StatusOr<Standing> standing = ReadStanding(*database_, cluster);
  if (!standing.ok()) return standing.status();
  if (standing->policy.clock == priority::ClockMode::kManual) {
    absl::MutexLock lock(&mutex_);
    schedules_.erase(cluster);
    return std::optional<absl::Time>();
  }
  std::optional<absl::Time> due = DueAt(cluster);
  if (!leads() && standing->computed_at.has_value()) {
    const absl::Duration period = standing->policy.calc_period;
    due = NextDue(*standing->computed_at, period, std::max(clock_(), *standing->computed_at));
  }
  if (standing->computed_at.has_value() && due.has_value()) return due;
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> snapshot = RecalculateNow(cluster);
  if (!snapshot.ok()) return snapshot.status();
  return std::optional<absl::Time>((*snapshot)->computed_at());
}

std::optional<absl::Time> RecalculationLoop::DueAt(const std::string& cluster) const {
  absl::MutexLock lock(&mutex_);
  const auto found = schedules_.find(cluster);
  if (found == schedules_.end()) return std::nullopt;
  return found->second.due;
}

void RecalculationLoop::Wake() {
  absl::MutexLock lock(&mutex_);
  changed_.SignalAll();
}

void RecalculationLoop::Run() {
  for (;;) {
    const Work work = AwaitWork();
    if (work.stop) return;
    if (work.news) {
      CatchUp().IgnoreError();
      if (options_.on_news != nullptr) options_.on_news();
    } else if (work.demand != nullptr) {
      work.demand->result.set_value(Pass(work.demand->cluster, work.demand->as_of));
    } else {
      RecalculateDue(work.due_cluster);
    }
  }
}

RecalculationLoop::Work RecalculationLoop::AwaitWork() {
  absl::MutexLock lock(&mutex_);
  // News may come without end, so all else has a turn between them.
  bool news_waits = std::exchange(had_news_, false);
  for (;;) {
    if (stops_) return {.stop = true};
    if (!news_waits && std::exchange(news_, false)) {
      had_news_ = true;
      return {.news = true};
    }
    if (!demands_.empty()) {
      Work work{.demand = std::move(demands_.front())};
      demands_.pop_front();
      return work;
    }
    const absl::Time now = clock_();
    if (std::optional<std::string> due = DueCluster(now)) return {.due_cluster = *std::move(due)};
    if (!std::exchange(news_waits, false)) changed_.WaitWithTimeout(&mutex_, NextWake() - now);
  }
}

void RecalculationLoop::RecalculateDue(const std::string& cluster) {
  const absl::Status status = Pass(cluster, std::nullopt).status();
  if (status.ok()) {
    if (failing_.erase(cluster) > 0) spdlog::info("{}: recalculation works again", cluster);
  } else if (!IsNotLeader(status) && failing_.insert(cluster).second) {
    spdlog::error("{}: recalculation failed, the last snapshot stays: {}", cluster,
                  status.ToString());
  }
}

std::optional<std::string> RecalculationLoop::DueCluster(absl::Time now) const {
  if (!leads()) return std::nullopt;
  for (const auto& [cluster, schedule] : schedules_) {
    if (schedule.due <= now) return cluster;
  }
  return std::nullopt;
}

absl::Time RecalculationLoop::NextWake() const {
  absl::Time next = absl::InfiniteFuture();
  if (!leads()) return next;
  for (const auto& [cluster, schedule] : schedules_) next = std::min(next, schedule.due);
  return next;
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> RecalculationLoop::Pass(
    const std::string& cluster, std::optional<absl::Time> as_of) {
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> snapshot =
      absl::AbortedError("not tried");
  const std::optional<int64_t> epoch = leadership_.epoch();
  // Its next campaign tells who leads, and what comes then.
  if (!epoch.has_value()) return NotLeaderError();
  for (int i = 0; i < kAttempts && absl::IsAborted(snapshot.status()); ++i) {
    snapshot = recalculator_.Recalculate(cluster, {.now = clock_(), .as_of = as_of}, *epoch);
  }
  if (snapshot.ok()) {
    registry_->Publish(*snapshot);
    registry_->Confirm();
    Reschedule(cluster, (*snapshot)->policy());
    if (options_.on_recalculated != nullptr) options_.on_recalculated(*snapshot);
  } else if (!as_of.has_value()) {
    Reschedule(cluster, snapshot.status());
  }
  return snapshot;
}

void RecalculationLoop::Reschedule(const std::string& cluster,
                                   const absl::StatusOr<priority::Policy>& policy) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_();
  if (absl::IsFailedPrecondition(policy.status()) || absl::IsNotFound(policy.status()) ||
      (policy.ok() && policy->clock == priority::ClockMode::kManual)) {
    schedules_.erase(cluster);
    return;
  }
  if (!policy.ok()) {
    schedules_[cluster].due = now + kRetryDelay;
    return;
  }
  Schedule& schedule = schedules_[cluster];
  const bool on_schedule = schedule.period == policy->calc_period;
  schedule.due = NextDue(on_schedule ? schedule.anchor : now, policy->calc_period, now);
  if (!on_schedule) schedule.anchor = now;
  schedule.period = policy->calc_period;
}

absl::Status RecalculationLoop::CatchUp() {
  const std::optional<int64_t> epoch = leadership_.epoch();
  auto standings = ReadStandings(*database_);
  if (!standings.ok()) return standings.status();
  const bool has_just_begun = NoteLeadership(epoch);
  absl::Status status;
  for (const storage::ClusterStanding& standing : *standings) {
    registry_->Add(standing.name);
    status.Update(Load(standing));
    if (epoch.has_value()) Plan(standing, has_just_begun);
  }
  if (status.ok()) registry_->Confirm();
  if (epoch.has_value()) status.Update(DoWhatOthersAskFor());
  return status;
}

bool RecalculationLoop::NoteLeadership(std::optional<int64_t> epoch) {
  if (std::exchange(led_epoch_, epoch) == epoch) return false;
  recalculator_.Forget();
  planned_.clear();
  absl::MutexLock lock(&mutex_);
  schedules_.clear();
  return epoch.has_value();
}

absl::Status RecalculationLoop::Load(const storage::ClusterStanding& standing) {
  if (standing.generation == 0) return absl::OkStatus();
  const auto current = registry_->Find(standing.name);
  if (current.ok() && (*current)->generation() >= standing.generation) return absl::OkStatus();
  auto snapshot = loader_.Load(standing.name);
  if (snapshot.ok()) registry_->Publish(*std::move(snapshot));
  // A snapshot from before numbers were kept; the leader makes another one.
  if (absl::IsNotFound(snapshot.status())) return absl::OkStatus();
  if (absl::IsInternal(snapshot.status())) {
    spdlog::error("{}: snapshot {} cannot be loaded: {}", standing.name, standing.generation,
                  snapshot.status().ToString());
  }
  return snapshot.status();
}

void RecalculationLoop::Plan(const storage::ClusterStanding& cluster, bool has_just_begun) {
  const auto planned = planned_.find(cluster.name);
  if (planned != planned_.end() && planned->second == cluster.revision) return;
  absl::StatusOr<Standing> standing = ReadStanding(*database_, cluster.name);
  if (!standing.ok()) return;
  planned_[cluster.name] = cluster.revision;
  const bool manual = standing->policy.clock == priority::ClockMode::kManual;
  if (!registry_->Find(cluster.name).ok()) {
    // Whoever creates or changes a cluster without a snapshot asks for the first
    // one, unless that went wrong before this replica led.
    if (!has_just_begun || (manual && !standing->computed_at.has_value())) return;
    const absl::Status status = Pass(cluster.name, std::nullopt).status();
    if (!status.ok()) spdlog::warn("{}: no snapshot: {}", cluster.name, status.ToString());
    return;
  }
  absl::MutexLock lock(&mutex_);
  if (manual) {
    schedules_.erase(cluster.name);
  } else if (standing->computed_at.has_value() && !schedules_.contains(cluster.name)) {
    const absl::Time anchor = *standing->computed_at;
    const absl::Duration period = standing->policy.calc_period;
    schedules_[cluster.name] = {.due = anchor + period, .anchor = anchor, .period = period};
  }
}

absl::Status RecalculationLoop::DoWhatOthersAskFor() {
  std::vector<storage::RecalculationRequest> open;
  absl::Status status = database_->Read([&](storage::Transaction& transaction) -> absl::Status {
    auto read = storage::RecalculationRequestStore(transaction).ListOpen(options_.patience);
    if (read.ok()) open = *std::move(read);
    return read.status();
  });
  for (const storage::RecalculationRequest& request : open) {
    const auto snapshot = Pass(request.cluster_name, request.as_of);
    // The next leader does it.
    if (IsNotLeader(snapshot.status())) break;
    status.Update(database_->Write([&](storage::Transaction& transaction) -> absl::Status {
      storage::RecalculationRequestStore requests(transaction);
      absl::Status answered = requests.Answer(request.id, ToAnswer(snapshot));
      return answered.ok() ? requests.DeleteOld(kRequestsAreKept) : answered;
    }));
  }
  return status;
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> RecalculationLoop::AskLeader(
    const std::string& cluster, std::optional<absl::Time> as_of) {
  const absl::Time deadline = absl::Now() + options_.patience;
  absl::StatusOr<int64_t> id = absl::UnknownError("not run");
  absl::Status status = database_->Write([&](storage::Transaction& transaction) {
    id = storage::RecalculationRequestStore(transaction)
             .Add({.cluster_name = cluster, .as_of = as_of});
    return id.status();
  });
  std::optional<storage::RecalculationAnswer> answer;
  while (status.ok() && !answer.has_value()) {
    if (absl::Now() > deadline) {
      return errors::WithReason(absl::UnavailableError("no replica leads at the moment; try again"),
                                "NO_LEADER");
    }
    absl::SleepFor(kBetweenLooks);
    status = database_->Read([&](storage::Transaction& transaction) -> absl::Status {
      auto found = storage::RecalculationRequestStore(transaction).FindAnswer(*id);
      if (found.ok()) answer = *std::move(found);
      return found.status();
    });
  }
  if (status.ok()) status = ToStatus(*answer);
  if (!status.ok()) return status;
  return registry_->AwaitGeneration(cluster, answer->generation, options_.patience);
}

}  // namespace priorityd::recalculation
