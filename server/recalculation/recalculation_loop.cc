#include "server/recalculation/recalculation_loop.h"

#include <algorithm>
#include <future>
#include <utility>

#include "server/recalculation/schedule.h"
#include "server/recalculation/standings.h"

namespace priorityd::recalculation {
namespace {

storage::DatabaseOptions Beside(const storage::Database& database, int connections) {
  storage::DatabaseOptions options = database.options();
  options.pool_size = connections;
  return options;
}

LeadershipOptions AlsoInforming(LeadershipOptions options, storage::Database* other) {
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
      client_(database, registry, &leadership_, clocks_.real, options_.patience),
      demands_(&threads_),
      worker_(&recalculations_, registry, clocks_, options_, &leadership_, &threads_),
      planner_(database, registry, &demands_, &threads_),
      service_(database, &recalculations_, options_.patience, &demands_),
      follower_(database, registry, &planner_, &worker_, options_),
      thread_(clocks_.real),
      threads_({.threads = options_.threads,
                .clocks = clocks_,
                .leads = [this] { return leads(); },
                .work = [this](const Agenda::Work& work) { return worker_.Work(work); }}),
      leadership_(database, AlsoInforming(options_.leadership, &recalculations_), clocks_.real,
                  [this](const storage::Notifications& heard) { HandleNotifications(heard); }) {}

RecalculationLoop::~RecalculationLoop() {
  thread_.Stop();
  threads_.Stop();
}

absl::Status RecalculationLoop::Start() {
  leadership_.Start();
  threads_.Start();
  absl::Status read = follower_.Follow(std::nullopt, leadership_.epoch());
  if (read.ok() && leads()) read = service_.AnswerAll();
  if (!read.ok()) return read;
  demands_.AwaitNone();
  thread_.Start([this] {
    ReadNews();
    return absl::InfiniteFuture();
  });
  return absl::OkStatus();
}

SnapshotOr RecalculationLoop::RecalculateNow(const std::string& cluster,
                                             std::optional<absl::Time> as_of) {
  if (!leads()) return client_.Recalculate(cluster, as_of);
  std::promise<SnapshotOr> result;
  threads_.Ask({.cluster = cluster,
                .as_of = as_of,
                .done = [&result](const SnapshotOr& snapshot) { result.set_value(snapshot); },
                .numbers_of = {}});
  SnapshotOr snapshot = result.get_future().get();
  if (IsNotLeader(snapshot.status())) return client_.Recalculate(cluster, as_of);
  return snapshot;
}

absl::Status RecalculationLoop::NotifyHaste(const std::string& cluster) {
  return database_->Write([&](storage::Transaction& transaction) {
    return storage::Notify(transaction, {storage::Subject::kHaste, cluster});
  });
}

void RecalculationLoop::RecalculateSoon(const std::string& cluster) {
  if (leads()) {
    threads_.Hasten(cluster);
  } else {
    NotifyHaste(cluster).IgnoreError();
  }
}

absl::Time RecalculationLoop::Hasten(const std::string& cluster, absl::Time last, absl::Time due) {
  const absl::Time now = clocks_.site();
  if (leads()) return threads_.Hasten(cluster).value_or(due);
  return NotifyHaste(cluster).ok() ? std::min(due, std::max(now, last + Schedule::kBetweenHastened))
                                   : due;
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

void RecalculationLoop::HandleNotifications(const storage::Notifications& notifications) {
  {
    absl::MutexLock lock(&mutex_);
    for (const storage::Notification& notification : notifications) {
      news_.Add(notification);
      if (notification.subject == storage::Subject::kSnapshot) {
        registry_->Expect(notification.cluster);
      }
    }
  }
  client_.HandleNotifications(notifications);
  thread_.Wake();
  // This replica may lead now.
  threads_.Wake();
}

void RecalculationLoop::ReadNews() {
  News news;
  {
    absl::MutexLock lock(&mutex_);
    news = std::exchange(news_, News());
  }
  const ClusterNames changed = news.Changed(leads());
  absl::Status followed;
  if (!changed.has_value() || !changed->empty()) {
    followed = follower_.Follow(changed, leadership_.epoch());
  }
  if (followed.ok()) {
    registry_->StopExpecting(changed.has_value() ? ClusterNames(news.published()) : std::nullopt);
  }
  if (news.requests() && leads()) service_.AnswerAll().IgnoreError();
  for (const std::string& cluster : news.hastened()) {
    if (leads()) threads_.Hasten(cluster);
  }
  const ClusterNames queues = news.Queues(leads());
  if (options_.on_notified == nullptr || (queues.has_value() && queues->empty())) return;
  options_.on_notified(queues);
}

}  // namespace priorityd::recalculation
