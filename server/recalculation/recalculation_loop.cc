#include "server/recalculation/recalculation_loop.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "server/configuration/find_cluster.h"
#include "server/configuration/stored_policy.h"
#include "server/errors/error_details.h"
#include "server/recalculation/leader_requests.h"
#include "storage/policy_store.h"
#include "storage/snapshot_store.h"

namespace priorityd::recalculation {
namespace {

constexpr int kAttempts = 5;
// In case the notification of the leader's answer is lost.
constexpr absl::Duration kBetweenLooks = absl::Seconds(1);

// What tells when a cluster is recalculated.
struct Standing {
  priority::Policy policy;                // The newest.
  std::optional<absl::Time> computed_at;  // Of the last recalculation.
};

absl::StatusOr<Standing> ReadStanding(storage::Database& database, const std::string& cluster) {
  std::optional<storage::PolicyVersion> version;
  Standing standing;
  absl::Status status = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    auto found = configuration::FindCluster(transaction, cluster);
    if (!found.ok()) return found.status();
    auto policy = storage::PolicyStore(transaction).Newest(found->id);
    if (!policy.ok()) return policy.status();
    version = *std::move(policy);
    auto snapshot = storage::SnapshotStore(transaction).Newest(found->id);
    if (!snapshot.ok()) return snapshot.status();
    standing.computed_at.reset();
    if (snapshot->has_value()) standing.computed_at = (*snapshot)->computed_at;
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  const auto conf = configuration::ParseStored(version);
  if (!conf.ok()) return conf.status();
  standing.policy = (*conf)->policy;
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

absl::Status NoLeaderError() {
  return errors::WithReason(absl::UnavailableError("no replica leads at the moment; try again"),
                            "NO_LEADER");
}

}  // namespace

RecalculationLoop::RecalculationLoop(storage::Database* database, SnapshotRegistry* registry,
                                     threads::Clocks clocks, LoopOptions options)
    : database_(database),
      registry_(registry),
      clocks_(std::move(clocks)),
      options_(std::move(options)),
      recalculator_(database, options_.history),
      loader_(database),
      thread_(clocks_.site),
      leadership_(database, options_.leadership, clocks_.real, [this] { HandleNotification(); }) {}

RecalculationLoop::~RecalculationLoop() {
  thread_.Stop();
  absl::MutexLock lock(&mutex_);
  for (const std::shared_ptr<Demand>& demand : demands_) {
    demand->result.set_value(absl::UnavailableError("the service is stopping"));
  }
}

absl::Status RecalculationLoop::Start() {
  leadership_.Start();
  if (absl::Status loaded = LoadPublished(); !loaded.ok()) return loaded;
  thread_.Start([this] { return Turn(); });
  return absl::OkStatus();
}

void RecalculationLoop::HandleNotification() {
  {
    absl::MutexLock lock(&mutex_);
    ++notifications_;
    notified_.SignalAll();
  }
  thread_.Wake();
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> RecalculationLoop::RecalculateNow(
    const std::string& cluster, std::optional<absl::Time> as_of) {
  if (!leads()) return AskLeader(cluster, as_of);
  auto demand = std::make_shared<Demand>();
  demand->cluster = cluster;
  demand->as_of = as_of;
  {
    absl::MutexLock lock(&mutex_);
    demands_.push_back(demand);
  }
  thread_.Wake();
  auto snapshot = demand->result.get_future().get();
  if (IsNotLeader(snapshot.status())) return AskLeader(cluster, as_of);
  return snapshot;
}

absl::StatusOr<std::optional<absl::Time>> RecalculationLoop::ScheduleCluster(
    const std::string& cluster) {
  registry_->Add(cluster);
  absl::StatusOr<Standing> standing = ReadStanding(*database_, cluster);
  if (!standing.ok()) return standing.status();
  if (standing->policy.clock == priority::ClockMode::kManual) {
    absl::MutexLock lock(&mutex_);
    schedule_.Remove(cluster);
    return std::optional<absl::Time>();
  }
  std::optional<absl::Time> due = DueAt(cluster);
  if (!leads() && standing->computed_at.has_value()) {
    const absl::Duration period = standing->policy.calc_period;
    due = NextDue(*standing->computed_at, period, std::max(clocks_.site(), *standing->computed_at));
  }
  if (standing->computed_at.has_value() && due.has_value()) return due;
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> snapshot = RecalculateNow(cluster);
  if (!snapshot.ok()) return snapshot.status();
  return std::optional<absl::Time>((*snapshot)->computed_at());
}

std::optional<absl::Time> RecalculationLoop::DueAt(const std::string& cluster) const {
  absl::MutexLock lock(&mutex_);
  return schedule_.DueAt(cluster);
}

// One of each kind, so that none holds the others up: notifications may come without end.
absl::Time RecalculationLoop::Turn() {
  if (TakeNotification()) {
    LoadPublished().IgnoreError();
    if (options_.on_notified != nullptr) options_.on_notified();
  }
  if (const std::shared_ptr<Demand> demand = TakeDemand()) {
    demand->result.set_value(Recalculate(demand->cluster, demand->as_of));
  }
  if (const std::optional<std::string> due = DueCluster()) RecalculateDue(*due);
  return NextTurn();
}

bool RecalculationLoop::TakeNotification() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(handled_notifications_, notifications_) != notifications_;
}

std::shared_ptr<RecalculationLoop::Demand> RecalculationLoop::TakeDemand() {
  absl::MutexLock lock(&mutex_);
  if (demands_.empty()) return nullptr;
  std::shared_ptr<Demand> demand = std::move(demands_.front());
  demands_.pop_front();
  return demand;
}

std::optional<std::string> RecalculationLoop::DueCluster() const {
  if (!leads()) return std::nullopt;
  const absl::Time now = clocks_.site();
  absl::MutexLock lock(&mutex_);
  return schedule_.Due(now);
}

absl::Time RecalculationLoop::NextTurn() const {
  const bool leads_now = leads();
  absl::MutexLock lock(&mutex_);
  if (!demands_.empty()) return absl::InfinitePast();
  return leads_now ? schedule_.NextWake() : absl::InfiniteFuture();
}

void RecalculationLoop::RecalculateDue(const std::string& cluster) {
  const absl::Status status = Recalculate(cluster, std::nullopt).status();
  if (status.ok()) {
    if (failing_.erase(cluster) > 0) spdlog::info("{}: recalculation works again", cluster);
  } else if (!IsNotLeader(status) && failing_.insert(cluster).second) {
    spdlog::error("{}: recalculation failed, the last snapshot stays: {}", cluster,
                  status.ToString());
  }
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> RecalculationLoop::Recalculate(
    const std::string& cluster, std::optional<absl::Time> as_of) {
  absl::StatusOr<std::shared_ptr<const priority::Snapshot>> snapshot =
      absl::AbortedError("not tried");
  const std::optional<int64_t> epoch = leadership_.epoch();
  // The next campaign decides which replica leads.
  if (!epoch.has_value()) return NotLeaderError();
  for (int i = 0; i < kAttempts && absl::IsAborted(snapshot.status()); ++i) {
    snapshot = recalculator_.Recalculate(cluster, {.now = clocks_.site(), .as_of = as_of}, *epoch);
  }
  if (snapshot.ok()) {
    registry_->Publish(*snapshot);
    registry_->Confirm();
  }
  // On a real clock as_of is an error of the request, not of the cluster.
  if (snapshot.ok() || !as_of.has_value()) Reschedule(cluster, snapshot);
  if (snapshot.ok() && options_.on_recalculated != nullptr) options_.on_recalculated(*snapshot);
  return snapshot;
}

void RecalculationLoop::Reschedule(
    const std::string& cluster,
    const absl::StatusOr<std::shared_ptr<const priority::Snapshot>>& result) {
  const absl::Time now = clocks_.site();
  absl::MutexLock lock(&mutex_);
  if (result.ok()) {
    schedule_.Succeeded(cluster, (*result)->policy(), now);
  } else {
    schedule_.Failed(cluster, result.status(), now);
  }
}

absl::Status RecalculationLoop::LoadPublished() {
  const std::optional<int64_t> epoch = leadership_.epoch();
  auto standings = ReadStandings(*database_);
  if (!standings.ok()) return standings.status();
  const bool leads_newly = SetEpoch(epoch);
  absl::Status status;
  lacks_numbers_ = false;
  for (const storage::ClusterStanding& standing : *standings) {
    registry_->Add(standing.name);
    status.Update(Load(standing));
    if (epoch.has_value()) Plan(standing, leads_newly);
    if (epoch.has_value() && standing.lacks_numbers) PublishNumbers(standing, *epoch);
  }
  if (status.ok() && !lacks_numbers_) registry_->Confirm();
  if (epoch.has_value()) status.Update(AnswerRequests());
  return status;
}

bool RecalculationLoop::SetEpoch(std::optional<int64_t> epoch) {
  if (std::exchange(led_epoch_, epoch) == epoch) return false;
  recalculator_.Forget();
  loader_.Forget();
  planned_.clear();
  absl::MutexLock lock(&mutex_);
  schedule_.Clear();
  return epoch.has_value();
}

absl::Status RecalculationLoop::Load(const storage::ClusterStanding& standing) {
  if (standing.generation == 0) return absl::OkStatus();
  const auto current = registry_->Find(standing.name);
  if (current.ok() && (*current)->generation() >= standing.generation) return absl::OkStatus();
  auto snapshot = loader_.Load(standing.name);
  if (snapshot.ok() && *snapshot == nullptr) {
    spdlog::warn(
        "{}: snapshot {}: this replica comes to other numbers than the leader, of another "
        "version or on another processor: it waits for the leader's",
        standing.name, standing.generation);
    lacks_numbers_ = true;
    return absl::OkStatus();
  }
  if (snapshot.ok()) registry_->Publish(*std::move(snapshot));
  // A snapshot from before numbers were kept; the leader makes another one.
  if (absl::IsNotFound(snapshot.status())) return absl::OkStatus();
  if (absl::IsInternal(snapshot.status())) {
    spdlog::error("{}: snapshot {} cannot be loaded: {}", standing.name, standing.generation,
                  snapshot.status().ToString());
  }
  return snapshot.status();
}

void RecalculationLoop::PublishNumbers(const storage::ClusterStanding& standing, int64_t epoch) {
  const auto snapshot = registry_->Find(standing.name);
  absl::Status status;
  if (snapshot.ok() && (*snapshot)->generation() == standing.generation) {
    status = recalculator_.PublishNumbersOf(**snapshot, epoch);
  } else {  // Nobody has those any more.
    status = Recalculate(standing.name, std::nullopt).status();
  }
  if (!status.ok()) spdlog::warn("{}: numbers not published: {}", standing.name, status.ToString());
}

void RecalculationLoop::Plan(const storage::ClusterStanding& cluster, bool leads_newly) {
  const auto planned = planned_.find(cluster.name);
  if (planned != planned_.end() && planned->second == cluster.revision) return;
  absl::StatusOr<Standing> standing = ReadStanding(*database_, cluster.name);
  if (!standing.ok()) return;
  planned_[cluster.name] = cluster.revision;
  const bool manual = standing->policy.clock == priority::ClockMode::kManual;
  if (!registry_->Find(cluster.name).ok()) {
    // The replica that creates or changes a cluster without a snapshot asks for the
    // first one, unless that failed before this replica led.
    if (!leads_newly || (manual && !standing->computed_at.has_value())) return;
    const absl::Status status = Recalculate(cluster.name, std::nullopt).status();
    if (!status.ok()) spdlog::warn("{}: no snapshot: {}", cluster.name, status.ToString());
    return;
  }
  absl::MutexLock lock(&mutex_);
  if (manual) {
    schedule_.Remove(cluster.name);
  } else if (standing->computed_at.has_value()) {
    schedule_.Add(cluster.name, *standing->computed_at, standing->policy.calc_period);
  }
}

absl::Status RecalculationLoop::AnswerRequests() {
  const auto requests = ListRequests(*database_, options_.patience);
  if (!requests.ok()) return requests.status();
  absl::Status status;
  for (const storage::RecalculationRequest& request : *requests) {
    const auto snapshot = Recalculate(request.cluster_name, request.as_of);
    // The next leader does it.
    if (IsNotLeader(snapshot.status())) break;
    status.Update(AnswerRequest(*database_, request.id, snapshot));
  }
  return status;
}

absl::StatusOr<std::shared_ptr<const priority::Snapshot>> RecalculationLoop::AskLeader(
    const std::string& cluster, std::optional<absl::Time> as_of) {
  const absl::Time deadline = clocks_.real() + options_.patience;
  const absl::StatusOr<int64_t> id =
      PostRequest(*database_, {.cluster_name = cluster, .as_of = as_of});
  if (!id.ok()) return id.status();
  for (;;) {
    const int64_t seen = notifications();
    const absl::StatusOr<std::optional<int64_t>> generation = FindAnswer(*database_, *id);
    if (!generation.ok()) return generation.status();
    if (generation->has_value()) {
      return registry_->AwaitGeneration(cluster, **generation, options_.patience);
    }
    if (clocks_.real() > deadline) return NoLeaderError();
    AwaitNotification(seen);
  }
}

int64_t RecalculationLoop::notifications() const {
  absl::MutexLock lock(&mutex_);
  return notifications_;
}

void RecalculationLoop::AwaitNotification(int64_t seen) const {
  absl::MutexLock lock(&mutex_);
  while (notifications_ == seen) {
    if (notified_.WaitWithTimeout(&mutex_, kBetweenLooks)) return;
  }
}

}  // namespace priorityd::recalculation
