#include "server/recalculation/recalculation_loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <future>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/recalculation/leader_requests.h"
#include "server/recalculation/schedule.h"
#include "storage/notification.h"

namespace priorityd::recalculation {
namespace {

constexpr int kAttempts = 5;
// Covers a lost notification of the leader's answer.
constexpr absl::Duration kBetweenLooks = absl::Seconds(1);

absl::Status NoLeaderError(bool clock_agrees) {
  return errors::WithReason(
      absl::UnavailableError(
          clock_agrees ? "no replica leads at the moment; try again"
                       : "no replica leads at the moment, this one because its clock differs from "
                         "the database's; set the clock that is wrong and try again"),
      "NO_LEADER");
}

storage::DatabaseOptions Beside(const storage::Database& database, int connections) {
  storage::DatabaseOptions options = database.options();
  options.pool_size = connections;
  return options;
}

LeadershipOptions Telling(LeadershipOptions options, storage::Database* other) {
  options.other = other;
  return options;
}

}  // namespace

RecalculationLoop::RecalculationLoop(storage::Database* database, SnapshotRegistry* registry,
                                     threads::Clocks clocks, LoopOptions options)
    : database_(database),
      recalculations_(Beside(*database, std::max(options.threads, 1))),
      registry_(registry),
      clocks_(std::move(clocks)),
      options_(std::move(options)),
      recalculator_(&recalculations_, options_.history),
      follower_(database, registry),
      thread_(clocks_.real),
      threads_({.threads = options_.threads,
                .clocks = clocks_,
                .leads = [this] { return leads(); },
                .work = [this](const Agenda::Work& work) { return Work(work); }}),
      leadership_(database, Telling(options_.leadership, &recalculations_), clocks_.real,
                  [this](const storage::Notifications& heard) { HandleNotifications(heard); }) {}

RecalculationLoop::~RecalculationLoop() {
  thread_.Stop();
  threads_.Stop();
}

absl::Status RecalculationLoop::Start() {
  leadership_.Start();
  threads_.Start();
  if (absl::Status loaded = LoadPublished(std::nullopt); !loaded.ok()) return loaded;
  AwaitAsked();
  thread_.Start([this] {
    ReadNews();
    return absl::InfiniteFuture();
  });
  return absl::OkStatus();
}

SnapshotOr RecalculationLoop::RecalculateNow(const std::string& cluster,
                                             std::optional<absl::Time> as_of) {
  if (!leads()) return AskLeader(cluster, as_of);
  std::promise<SnapshotOr> result;
  threads_.Ask({.cluster = cluster,
                .as_of = as_of,
                .done = [&result](const SnapshotOr& snapshot) { result.set_value(snapshot); },
                .numbers_of = {}});
  SnapshotOr snapshot = result.get_future().get();
  if (IsNotLeader(snapshot.status())) return AskLeader(cluster, as_of);
  return snapshot;
}

absl::Time RecalculationLoop::Hasten(const std::string& cluster, absl::Time last, absl::Time due) {
  const absl::Time now = clocks_.site();
  if (leads()) return threads_.Hasten(cluster).value_or(due);
  absl::Status notified = database_->Write([&](storage::Transaction& transaction) {
    return storage::Notify(transaction, {storage::Subject::kHaste, cluster});
  });
  return notified.ok() ? std::min(due, std::max(now, last + Schedule::kBetweenHastened)) : due;
}

absl::StatusOr<std::optional<absl::Time>> RecalculationLoop::ScheduleCluster(
    const std::string& cluster, Pace pace) {
  registry_->Add(cluster);
  absl::StatusOr<Timing> timing = ReadTiming(*database_, cluster);
  if (!timing.ok()) return timing.status();
  if (timing->policy.clock == priority::ClockMode::kManual) {
    threads_.Remove(cluster);
    return std::optional<absl::Time>();
  }
  std::optional<absl::Time> due = DueAt(cluster);
  if (!leads() && timing->computed_at.has_value()) {
    const absl::Duration period = timing->policy.calc_period;
    due = NextDue(*timing->computed_at, period, std::max(clocks_.site(), *timing->computed_at));
  }
  if (timing->computed_at.has_value() && due.has_value()) {
    if (pace == Pace::kSoon) due = Hasten(cluster, *timing->computed_at, *due);
    return due;
  }
  SnapshotOr snapshot = RecalculateNow(cluster);
  if (!snapshot.ok()) return snapshot.status();
  return std::optional<absl::Time>((*snapshot)->computed_at());
}

SnapshotOr RecalculationLoop::Work(const Agenda::Work& work) {
  if (work.demand == nullptr) {
    SnapshotOr snapshot = RecalculateAndReport(work);
    LogDue(work.cluster, snapshot.status());
    return snapshot;
  }
  const Demand& demand = *work.demand;
  if (demand.numbers_of.has_value()) return PublishNumbers(demand.cluster, *demand.numbers_of);
  return RecalculateAndReport(work);
}

SnapshotOr RecalculationLoop::RecalculateAndReport(const Agenda::Work& work) {
  const bool on_demand = work.demand != nullptr;
  const std::optional<absl::Time> due = DueAt(work.cluster);
  RecalculationReport report{.cluster = work.cluster, .on_demand = on_demand};
  if (!on_demand && due.has_value()) report.lag = clocks_.site() - *due;
  const absl::Time begin = clocks_.real();
  SnapshotOr snapshot =
      Recalculate(work.cluster, on_demand ? work.demand->as_of : std::nullopt, &report.stages);
  report.duration = clocks_.real() - begin;
  report.status = snapshot.status();
  if (snapshot.ok()) report.snapshot = *snapshot;
  for (RecalculationObserver* observer : options_.observers) observer->Recalculated(report);
  return snapshot;
}

void RecalculationLoop::LogDue(const std::string& cluster, const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  if (status.ok()) {
    if (failing_.erase(cluster) > 0) spdlog::info("{}: recalculation succeeds again", cluster);
  } else if (!IsNotLeader(status) && failing_.insert(cluster).second) {
    spdlog::error("{}: recalculation failed, the last snapshot stays in force: {}", cluster,
                  status.ToString());
  }
}

SnapshotOr RecalculationLoop::Recalculate(const std::string& cluster,
                                          std::optional<absl::Time> as_of,
                                          RecalculationStages* stages) {
  SnapshotOr snapshot = absl::AbortedError("not tried");
  const std::optional<int64_t> epoch = leadership_.epoch();
  // The next campaign decides which replica leads.
  if (!epoch.has_value()) return NotLeaderError();
  for (int i = 0; i < kAttempts && absl::IsAborted(snapshot.status()); ++i) {
    const RecalculationTime time{clocks_.site(), options_.by_database, LatestTime(), as_of};
    snapshot = recalculator_.Recalculate(cluster, time, *epoch, stages);
  }
  if (snapshot.ok()) {
    registry_->Publish(*snapshot);
    registry_->Confirm();
  }
  // On a real clock, as_of is an error of the request, not of the cluster.
  if (snapshot.ok() || !as_of.has_value()) threads_.Reschedule(cluster, snapshot);
  if (snapshot.ok() && options_.on_recalculated != nullptr) options_.on_recalculated(*snapshot);
  return snapshot;
}

SnapshotOr RecalculationLoop::PublishNumbers(const std::string& cluster, int64_t generation) {
  const std::optional<int64_t> epoch = leadership_.epoch();
  if (!epoch.has_value()) return NotLeaderError();
  SnapshotOr snapshot = registry_->Find(cluster);
  if (snapshot.ok() && (*snapshot)->generation() >= generation) {
    absl::Status status = recalculator_.PublishNumbersOf(**snapshot, *epoch);
    if (!status.ok()) snapshot = status;
  } else {  // No replica holds that generation any more.
    RecalculationStages stages;
    snapshot = Recalculate(cluster, std::nullopt, &stages);
  }
  if (!snapshot.ok()) {
    spdlog::warn("{}: the snapshot's computed values were not published: {}", cluster,
                 snapshot.status().ToString());
  }
  return snapshot;
}

void RecalculationLoop::ReadNews() {
  News news;
  {
    absl::MutexLock lock(&mutex_);
    news = std::exchange(news_, News());
  }
  const ClusterNames changed = news.Changed(leads());
  if (!changed.has_value() || !changed->empty()) LoadPublished(changed).IgnoreError();
  if (changed.has_value() && news.requests() && leads()) AnswerRequests().IgnoreError();
  for (const std::string& cluster : news.hastened()) {
    if (leads()) threads_.Hasten(cluster);
  }
  const ClusterNames queues = news.Queues(leads());
  if (options_.on_notified == nullptr || (queues.has_value() && queues->empty())) return;
  options_.on_notified(queues);
}

absl::Status RecalculationLoop::LoadPublished(const ClusterNames& names) {
  const std::optional<int64_t> epoch = leadership_.epoch();
  const Generations before = registry_->Generations();
  std::vector<std::string> known;
  for (const auto& [cluster, snapshot] : registry_->List()) known.push_back(cluster);
  const auto standings =
      names.has_value() ? ReadStandings(*database_, *names) : ReadStandings(*database_);
  if (!standings.ok()) return standings.status();
  const bool is_another = follower_.IsAnother(*standings, before);
  if (names.has_value() && (is_another || epoch != led_epoch_)) return LoadPublished(std::nullopt);
  if (is_another) {
    follower_.StartOver(*standings);
    led_epoch_.reset();  // This replica then counts as a new leader.
  }
  ForgetDeleted(standings->clusters, names, known);
  absl::Status status;
  Take(standings->clusters, SetEpoch(epoch), &status);
  const bool lacks_numbers = follower_.TakeLacksNumbers();
  if (names.has_value()) return status;
  if (status.ok() && !lacks_numbers) registry_->Confirm();
  if (epoch.has_value()) status.Update(AnswerRequests());
  return status;
}

void RecalculationLoop::ForgetDeleted(const std::vector<storage::ClusterStanding>& standings,
                                      const ClusterNames& names,
                                      const std::vector<std::string>& known) {
  absl::btree_map<std::string, int32_t> ids;
  for (const storage::ClusterStanding& standing : standings) ids[standing.name] = standing.id;
  for (const std::string& cluster : known) {
    const bool was_read = !names.has_value() || names->contains(cluster);
    const auto present = ids.find(cluster);
    const auto seen = cluster_ids_.find(cluster);
    const bool is_another =
        present != ids.end() && seen != cluster_ids_.end() && present->second != seen->second;
    if (was_read && (present == ids.end() || is_another)) ForgetCluster(cluster);
  }
  for (const auto& [cluster, id] : ids) cluster_ids_[cluster] = id;
}

void RecalculationLoop::ForgetCluster(const std::string& cluster) {
  registry_->Drop(cluster);
  cluster_ids_.erase(cluster);
  planned_.erase(cluster);
  follower_.ForgetInputs(cluster);
  threads_.Remove(cluster);
  recalculator_.Forget();
  if (options_.on_deleted != nullptr) options_.on_deleted(cluster);
}

bool RecalculationLoop::SetEpoch(std::optional<int64_t> epoch) {
  if (std::exchange(led_epoch_, epoch) == epoch) return false;
  recalculator_.Forget();
  follower_.ForgetInputs();
  planned_.clear();
  threads_.Clear();
  return epoch.has_value();
}

void RecalculationLoop::Take(const std::vector<storage::ClusterStanding>& clusters,
                             bool leads_newly, absl::Status* status) {
  const bool leads = led_epoch_.has_value();
  for (const storage::ClusterStanding& standing : clusters) {
    registry_->Add(standing.name);
    // The leader has its own publications already, or will at once.
    if (follower_.NeedsLoading(standing, leads && !leads_newly)) {
      status->Update(follower_.Load(standing));
      if (leads) follower_.ForgetInputs(standing.name);
    }
    if (!leads) continue;
    Plan(standing, leads_newly);
    if (!standing.lacks_numbers) continue;
    AskOnce(absl::StrCat("numbers ", standing.name),
            {.cluster = standing.name, .as_of = {}, .done = {}, .numbers_of = standing.generation});
  }
}

void RecalculationLoop::Plan(const storage::ClusterStanding& cluster, bool leads_newly) {
  const auto planned = planned_.find(cluster.name);
  if (planned != planned_.end() && planned->second == cluster.revision) return;
  absl::StatusOr<Timing> timing = ReadTiming(*database_, cluster.name);
  if (!timing.ok()) return;
  planned_[cluster.name] = cluster.revision;
  const bool manual = timing->policy.clock == priority::ClockMode::kManual;
  if (!registry_->Find(cluster.name).ok()) {
    // The replica that creates or changes a cluster without a snapshot requests the first one; this
    // covers a request that failed before this replica led.
    if (!leads_newly || (manual && !timing->computed_at.has_value())) return;
    AskOnce(absl::StrCat("first ", cluster.name),
            {.cluster = cluster.name, .as_of = {}, .done = {}, .numbers_of = {}});
  } else if (manual) {
    threads_.Remove(cluster.name);
  } else if (timing->computed_at.has_value()) {
    threads_.Add(cluster.name, *timing->computed_at, timing->policy.calc_period);
  }
}

void RecalculationLoop::AskOnce(const std::string& key, Demand demand) {
  {
    absl::MutexLock lock(&mutex_);
    if (!asked_.insert(key).second) return;
  }
  demand.done = [this, key, then = std::move(demand.done)](const SnapshotOr& snapshot) {
    if (then != nullptr) then(snapshot);
    absl::MutexLock lock(&mutex_);
    asked_.erase(key);
  };
  threads_.Ask(std::move(demand));
}

void RecalculationLoop::AwaitAsked() {
  const auto is_done = [this] {
    mutex_.AssertReaderHeld();
    return asked_.empty();
  };
  absl::MutexLock lock(&mutex_, absl::Condition(&is_done));
}

absl::Status RecalculationLoop::AnswerRequests() {
  const auto requests = ListRequests(*database_, options_.patience);
  if (!requests.ok()) return requests.status();
  for (const storage::RecalculationRequest& request : *requests) Answer(request);
  return absl::OkStatus();
}

void RecalculationLoop::Answer(const storage::RecalculationRequest& request) {
  AskOnce(absl::StrCat("request ", request.id),
          {.cluster = request.cluster_name,
           .as_of = request.as_of,
           .done =
               [this, request](const SnapshotOr& snapshot) {
                 // The next leader answers it.
                 if (IsNotLeader(snapshot.status())) return;
                 AnswerRequest(recalculations_, request, snapshot).IgnoreError();
               },
           .numbers_of = {}});
}

SnapshotOr RecalculationLoop::AskLeader(const std::string& cluster,
                                        std::optional<absl::Time> as_of) {
  const absl::Time deadline = clocks_.real() + options_.patience;
  const absl::StatusOr<int64_t> id =
      PostRequest(*database_, {.cluster_name = cluster, .as_of = as_of});
  if (!id.ok()) return id.status();
  for (;;) {
    const int64_t seen = answers();
    const absl::StatusOr<std::optional<int64_t>> generation = FindAnswer(*database_, *id);
    if (!generation.ok()) return generation.status();
    if (generation->has_value()) {
      return registry_->AwaitGeneration(cluster, **generation, options_.patience);
    }
    if (clocks_.real() > deadline) return NoLeaderError(clock_agrees());
    AwaitAnswer(seen);
  }
}

void RecalculationLoop::HandleNotifications(const storage::Notifications& notifications) {
  {
    absl::MutexLock lock(&mutex_);
    for (const storage::Notification& notification : notifications) {
      news_.Add(notification);
      answers_ += notification.subject == storage::Subject::kAnswer ||
                  notification.subject == storage::Subject::kAnything;
    }
    answered_.SignalAll();
  }
  thread_.Wake();
  // This replica may lead now.
  threads_.Wake();
}

int64_t RecalculationLoop::answers() const {
  absl::MutexLock lock(&mutex_);
  return answers_;
}

void RecalculationLoop::AwaitAnswer(int64_t seen) const {
  absl::MutexLock lock(&mutex_);
  while (answers_ == seen) {
    if (answered_.WaitWithTimeout(&mutex_, kBetweenLooks)) return;
  }
}

}  // namespace priorityd::recalculation
