#include "server/recalculation/recalculation_threads.h"

#include <algorithm>
#include <utility>

#include "server/recalculation/recalculation.h"

namespace priorityd::recalculation {

RecalculationThreads::RecalculationThreads(Options options)
    : options_(std::move(options)), agenda_(std::max(options_.threads, 1)) {
  for (int i = 0; i < std::max(options_.threads, 1); ++i) {
    threads_.push_back(std::make_unique<threads::PeriodicThread>(options_.clocks.site));
  }
}

RecalculationThreads::~RecalculationThreads() { Stop(); }

void RecalculationThreads::Start() {
  for (const auto& thread : threads_) thread->Start([this] { return Turn(); });
}

void RecalculationThreads::Stop() {
  for (const auto& thread : threads_) thread->RequestStop();
  for (const auto& thread : threads_) thread->Stop();
  std::deque<std::shared_ptr<const Demand>> open;
  {
    absl::MutexLock lock(&mutex_);
    open = agenda_.TakeDemands();
  }
  for (const auto& demand : open) demand->done(NotLeaderError());
}

void RecalculationThreads::Ask(Demand demand) {
  {
    absl::MutexLock lock(&mutex_);
    agenda_.Ask(std::make_shared<const Demand>(std::move(demand)));
  }
  Wake();
}

void RecalculationThreads::Add(const std::string& cluster, absl::Time last, absl::Duration period,
                               absl::Time wake) {
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time before = agenda_.schedule().NextWake();
    agenda_.schedule().Add(cluster, last, period, wake);
    if (agenda_.schedule().NextWake() >= before) return;
  }
  Wake();
}

void RecalculationThreads::Remove(const std::string& cluster) {
  absl::MutexLock lock(&mutex_);
  agenda_.schedule().Remove(cluster);
}

void RecalculationThreads::Clear() {
  absl::MutexLock lock(&mutex_);
  agenda_.schedule().Clear();
}

std::optional<absl::Time> RecalculationThreads::Hasten(const std::string& cluster) {
  const absl::Time now = options_.clocks.site();
  std::optional<absl::Time> due;
  {
    absl::MutexLock lock(&mutex_);
    agenda_.schedule().Hasten(cluster, now);
    due = agenda_.schedule().DueAt(cluster);
  }
  Wake();
  return due;
}

std::optional<absl::Time> RecalculationThreads::DueAt(const std::string& cluster) const {
  absl::MutexLock lock(&mutex_);
  return agenda_.schedule().DueAt(cluster);
}

void RecalculationThreads::Reschedule(const std::string& cluster, const SnapshotOr& result,
                                      absl::Time wake) {
  const absl::Time now = options_.clocks.site();
  absl::MutexLock lock(&mutex_);
  if (result.ok()) {
    agenda_.schedule().Succeeded(cluster, (*result)->policy(), now, wake);
  } else {
    agenda_.schedule().Failed(cluster, result.status(), now);
  }
}

void RecalculationThreads::Wake() {
  for (const auto& thread : threads_) thread->Wake();
}

void RecalculationThreads::CheckClock() {
  for (const auto& thread : threads_) thread->CheckClock();
}

std::optional<Agenda::Work> RecalculationThreads::NextWork(absl::Time* next) {
  const bool leads = options_.leads();
  const absl::Time now = options_.clocks.site();
  absl::MutexLock lock(&mutex_);
  std::optional<Agenda::Work> work = agenda_.Take(now, leads);
  *next = agenda_.NextWake(leads);
  return work;
}

absl::Time RecalculationThreads::Turn() {
  absl::Time next;
  const std::optional<Agenda::Work> work = NextWork(&next);
  if (!work.has_value()) return next;
  // Other threads may sleep because this cluster could not start before, or had no slot.
  if (next <= options_.clocks.site()) Wake();
  const absl::Time begin = options_.clocks.real();
  const SnapshotOr result = options_.work(*work);
  {
    absl::MutexLock lock(&mutex_);
    agenda_.Finish(work->cluster, options_.clocks.real() - begin);
  }
  if (work->demand != nullptr) work->demand->done(result);
  return absl::InfinitePast();
}

}  // namespace priorityd::recalculation
