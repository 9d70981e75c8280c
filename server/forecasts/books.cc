#include "server/forecasts/books.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/priority/snapshot/snapshot.h"
#include "server/configuration/find_cluster.h"
#include "server/forecasts/queue_knowledge.h"
#include "server/threads/background.h"
#include "storage/jobs/forecast_store.h"

namespace priorityd::forecasts {
namespace {

constexpr int64_t kPage = 5'000;
constexpr int kLateTurns = 4;
constexpr int kTurnsBetweenReads = 60;
constexpr int kTurnsOfEarliestStarts = 12;

void Number(int64_t last, std::vector<Event>* events) {
  for (Event& event : *events) event.number = ++last;
}

bool IsOnManualClock(const queue::QueueState& state) {
  return state.snapshot().policy().clock == priority::ClockMode::kManual;
}

absl::Status StoppedError() { return absl::CancelledError("the service is stopping"); }

// Ranks and plans the queue if a job begins to wait.
void SetKnowledge(const std::shared_ptr<const queue::QueueState>& state, absl::Time now,
                  const PlanSource& source, std::vector<Event>* events) {
  const auto waits = [](const Event& event) { return KindOf(event) == EventKind::kSubmit; };
  if (std::none_of(events->begin(), events->end(), waits)) return;
  const QueueKnowledge knowledge(state, now, source);
  for (Event& event : *events) {
    if (!waits(event)) continue;
    const forecast::Knowledge known = knowledge.Of(event.job_id);
    event.jobs_ahead = known.jobs_ahead;
    event.work_ahead = known.work_ahead;
    event.priority = known.priority;
    event.fair_share = known.fair_share;
    event.held_by_limit = known.held_by_limit;
    event.planned_wait = known.planned_wait;
    event.expected_wait = known.expected_wait;
    event.earliest_wait = known.earliest_wait;
  }
}

}  // namespace

Books::Books(BooksOptions options) : options_(std::move(options)), thread_(options_.clock) {}

Books::~Books() { Stop(); }

void Books::Start() {
  if (!enabled() || options_.period == absl::InfiniteDuration()) return;
  thread_.Start([this] {
    threads::WorkInBackground();
    Turn(false);
    return options_.clock() + options_.period;
  });
}

void Books::RunTurn() { Turn(true); }

std::shared_ptr<Book> Books::Find(const std::string& cluster) const {
  absl::MutexLock lock(&mutex_);
  const auto found = clusters_.find(cluster);
  return found == clusters_.end() ? nullptr : found->second->book;
}

absl::btree_map<std::string, std::shared_ptr<Book>> Books::All() const {
  absl::btree_map<std::string, std::shared_ptr<Book>> books;
  absl::MutexLock lock(&mutex_);
  for (const auto& [name, cluster] : clusters_) books[name] = cluster->book;
  return books;
}

std::shared_ptr<Books::Cluster> Books::ClusterOf(const std::string& name) {
  absl::MutexLock lock(&mutex_);
  std::shared_ptr<Cluster>& cluster = clusters_[name];
  if (cluster == nullptr) cluster = std::make_shared<Cluster>();
  return cluster;
}

void Books::ForgetOthers(const absl::btree_map<std::string, State>& loaded) {
  absl::MutexLock lock(&mutex_);
  for (auto at = clusters_.begin(); at != clusters_.end();) {
    at = loaded.contains(at->first) ? std::next(at) : clusters_.erase(at);
  }
}

void Books::Turn(bool with_manual) {
  const auto loaded = options_.queues->Loaded();
  ForgetOthers(loaded);
  for (const auto& [name, state] : loaded) {
    if (thread_.MustStop()) return;
    if (!with_manual && IsOnManualClock(*state)) continue;
    const std::shared_ptr<Cluster> cluster = ClusterOf(name);
    const absl::Status status = Follow(name, state, cluster.get());
    if (thread_.MustStop()) return;
    if (!status.ok() && !cluster->failed) {
      spdlog::warn("{}: forecasts do not follow the queue: {}", name, status.ToString());
    }
    cluster->failed = !status.ok();
    SetEarliestStarts(name, state, cluster.get());
  }
}

bool Books::ExpectsEvents(const State& state, Cluster* cluster) {
  if (cluster->state != state) cluster->quiet_turns = 0;
  cluster->state = state;
  const int turn = cluster->quiet_turns++;
  return turn < kLateTurns || turn % kTurnsBetweenReads == 0;
}

absl::Status Books::Follow(const std::string& name, const State& state, Cluster* cluster) {
  const bool leads = options_.leads();
  if (leads ? !cluster->is_read : ExpectsEvents(state, cluster)) {
    if (absl::Status s = Read(name, cluster); !s.ok()) return s;
  }
  cluster->is_read = leads;
  if (leads) return Lead(name, state, cluster);
  cluster->finder.Reset();
  return absl::OkStatus();
}

absl::Status Books::CheckDatabase(const std::string& name, Cluster* cluster) {
  int64_t incarnation = 0;
  int32_t id = 0;
  const auto last =
      options_.database->Read([&](storage::Transaction& transaction) -> absl::StatusOr<int64_t> {
        incarnation = transaction.incarnation();
        const auto found = configuration::FindCluster(transaction, name);
        if (!found.ok()) return found.status();
        id = found->id;
        return storage::ForecastStore(transaction).Last(id);
      });
  if (!last.ok()) return last.status();
  if (*last < cluster->book->last() || (cluster->id != 0 && cluster->id != id)) {
    {
      absl::MutexLock lock(&mutex_);
      cluster->book = std::make_shared<Book>();
    }
    cluster->finder.Reset();
    if (options_.on_changed != nullptr) options_.on_changed(name);
  }
  cluster->incarnation = incarnation;
  cluster->id = id;
  return absl::OkStatus();
}

absl::Status Books::Read(const std::string& name, Cluster* cluster) {
  if (absl::Status s = CheckDatabase(name, cluster); !s.ok()) return s;
  size_t count = 0;
  do {
    if (thread_.MustStop()) return StoppedError();
    auto events = options_.database->Read(
        [&](storage::Transaction& transaction) -> absl::StatusOr<std::vector<Event>> {
          const auto found = configuration::FindCluster(transaction, name);
          if (!found.ok()) return found.status();
          return storage::ForecastStore(transaction).List(found->id, cluster->book->last(), kPage);
        });
    if (!events.ok()) return events.status();
    count = events->size();
    if (count > 0) cluster->quiet_turns = 0;
    Apply(name, *events, cluster);
  } while (count == kPage);
  // Without some of its events the book knows no phases by which the leader could find others.
  return thread_.MustStop() ? StoppedError() : absl::OkStatus();
}

absl::Status Books::Lead(const std::string& name, const State& state, Cluster* cluster) {
  const std::vector<Event> events = FindEvents(state, cluster);
  const absl::Status stored = events.empty() ? absl::OkStatus() : Store(name, events, cluster);
  if (!stored.ok()) {
    // The next turn reads what another replica stored, and finds the rest again.
    cluster->finder.Reset();
    cluster->is_read = false;
    return stored;
  }
  cluster->policy = state->snapshot().policy_version();
  Apply(name, events, cluster);
  return absl::OkStatus();
}

void Books::Apply(const std::string& name, const std::vector<Event>& events, Cluster* cluster) {
  if (events.empty()) return;
  cluster->book->Apply(events, [this] { return thread_.MustStop(); });
  if (thread_.MustStop()) return;
  if (options_.on_changed != nullptr) options_.on_changed(name);
}

std::vector<Event> Books::FindEvents(const State& state, Cluster* cluster) const {
  const absl::Time now = Now(*state);
  std::vector<Event> events =
      cluster->finder.Find(state, cluster->book->phases(), absl::ToUnixSeconds(now));
  const int64_t policy = state->snapshot().policy_version();
  if (cluster->policy != 0 && cluster->policy != policy) {
    events.insert(events.begin(), MakeEvent(EventKind::kPolicy, "", absl::ToUnixSeconds(now)));
  }
  SetKnowledge(state, now, SourceOf(state, *cluster), &events);
  Number(cluster->book->last(), &events);
  return events;
}

absl::Status Books::Store(const std::string& name, const std::vector<Event>& events,
                          Cluster* cluster) {
  const int64_t last = events.back().number;
  const bool trims = last - cluster->trimmed > 2 * options_.kept_events;
  const absl::Status stored =
      options_.database->Write([&](storage::Transaction& transaction) -> absl::Status {
        if (transaction.incarnation() != cluster->incarnation) {
          return absl::UnavailableError("the database was started again: its events are read");
        }
        const auto found = configuration::FindCluster(transaction, name);
        if (!found.ok()) return found.status();
        if (found->id != cluster->id) return absl::UnavailableError("the cluster is another one");
        storage::ForecastStore store(transaction);
        if (absl::Status s = store.Append(found->id, events); !s.ok() || !trims) return s;
        return store.DeleteUntil(found->id, last - options_.kept_events);
      });
  if (stored.ok() && trims) cluster->trimmed = last - options_.kept_events;
  return stored;
}

PlanSource Books::SourceOf(const State& state, const Cluster& cluster) const {
  PlanSource source;
  if (options_.nodes != nullptr) source.nodes = options_.nodes(state->scale().snapshot);
  source.run_time = [book = cluster.book](const priority::Job& job) {
    return book->ExpectedRunTime(job);
  };
  return source;
}

void Books::SetEarliestStarts(const std::string& name, const State& state, Cluster* cluster) const {
  const absl::Span<const priority::Reservation> now_in_force = state->snapshot().reservations();
  const bool are_others = !std::equal(now_in_force.begin(), now_in_force.end(),
                                      cluster->reservations.begin(), cluster->reservations.end());
  if (!are_others && (now_in_force.empty() || --cluster->turns_left > 0)) return;
  cluster->reservations.assign(now_in_force.begin(), now_in_force.end());
  cluster->turns_left = kTurnsOfEarliestStarts;
  const Nodes nodes = options_.nodes == nullptr ? nullptr : options_.nodes(state->scale().snapshot);
  const bool changed =
      cluster->book->SetEarliestStarts(EarliestStartsOf(*state, Now(*state), nodes));
  if (changed && options_.on_changed != nullptr) options_.on_changed(name);
}

absl::Time Books::Now(const queue::QueueState& state) const {
  return IsOnManualClock(state) ? state.snapshot().computed_at() : options_.clock();
}

}  // namespace priorityd::forecasts
