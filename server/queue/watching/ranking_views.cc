#include "server/queue/watching/ranking_views.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace priorityd::queue {
namespace {

size_t RowsOf(const ViewSpec& spec) {
  const size_t rows = spec.limit * (spec.with_factors ? RankingViews::kRowsWithFactors : 1) *
                      (spec.with_forecasts ? RankingViews::kRowsWithForecasts : 1);
  return spec.ineligible ? 2 * rows : rows;
}

constexpr char kAdvice[] = "close other watches, or watch again later or elsewhere";

}  // namespace

RankingViews::RankingViews(Options options)
    : options_(std::move(options)),
      watchers_(options_.parts.RuleOf(quotas::kWatchers, options_.max_watchers, kAdvice)),
      views_(options_.parts.RuleOf(quotas::kWatchedViews, options_.max_views, kAdvice)),
      rows_(options_.parts.RuleOf(quotas::kWatchedRows, options_.max_rows, kAdvice)),
      alarm_thread_(options_.clock) {
  alarm_thread_.Start([this] { return RunAlarms(); });
}

RankingViews::~RankingViews() {
  {
    absl::MutexLock lock(&mutex_);
    ends_ = true;
    while (ranking_ > 0) changed_.Wait(&mutex_);
  }
  alarm_thread_.Stop();
}

absl::StatusOr<std::shared_ptr<RankingView>> RankingViews::Join(
    const ViewSpec& spec, const std::shared_ptr<Watcher>& watcher, const quotas::Holder& caller,
    bool* ready) {
  absl::MutexLock lock(&mutex_);
  if (!stopped_.ok()) return stopped_;
  absl::StatusOr<quotas::Share> place = watchers_.Take(caller);
  if (!place.ok()) return place.status();
  absl::StatusOr<Entry*> found = EntryOf(spec, caller);
  if (!found.ok()) return found.status();
  Entry* const entry = *found;
  const Watcher* const key = watcher.get();
  entry->watchers.try_emplace(key, Member{watcher, *std::move(place)});
  const absl::Time now = options_.clock();
  const bool is_ranking = entry->stage == Stage::kRanking;
  const bool up_to_date = !entry->dirty && !is_ranking && now - entry->ranked_at < kFresh;
  *ready = entry->has_top && (up_to_date || now < entry->not_before);
  if (!*ready) {
    entry->newcomers.insert(key);
    // The running ranking is new enough.
    if (!is_ranking) entry->dirty = true;
    Plan(*entry);
  }
  return entry->view;
}

absl::StatusOr<RankingViews::Entry*> RankingViews::EntryOf(const ViewSpec& spec,
                                                           const quotas::Holder& caller) {
  const auto found = entries_.find(spec);
  if (found != entries_.end()) {
    Entry& entry = *found->second;
    // Still working for watchers that have left.
    if (entry.watchers.empty()) PassTo(caller, &entry);
    return &entry;
  }
  absl::StatusOr<quotas::Share> place = views_.Take(caller);
  if (!place.ok()) return place.status();
  absl::StatusOr<quotas::Share> rows = rows_.Take(caller, RowsOf(spec));
  if (!rows.ok()) return rows.status();
  auto entry = std::make_unique<Entry>();
  entry->view = std::make_shared<RankingView>(spec, options_.encoder);
  entry->place = *std::move(place);
  entry->rows = *std::move(rows);
  return entries_.emplace(spec, std::move(entry)).first->second.get();
}

void RankingViews::PassTo(const quotas::Holder& caller, Entry* entry) {
  entry->place.PassTo(caller);
  entry->rows.PassTo(caller);
}

bool RankingViews::Remove(const Watcher& watcher, Entry* entry) {
  const auto found = entry->watchers.find(&watcher);
  if (found == entry->watchers.end()) return false;
  entry->watchers.erase(found);
  entry->newcomers.erase(&watcher);
  const bool is_held = absl::c_any_of(entry->watchers, [entry](const auto& watcher) {
    return watcher.second.place.holder().name == entry->place.holder().name;
  });
  if (!is_held && !entry->watchers.empty()) {
    PassTo(entry->watchers.begin()->second.place.holder(), entry);
  }
  return true;
}

void RankingViews::Leave(const RankingView& view, const Watcher& watcher) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(view.spec());
  if (found == entries_.end() || !Remove(watcher, found->second.get())) return;
  if (found->second->watchers.empty()) Plan(*found->second);
}

void RankingViews::Rerank(absl::string_view cluster,
                          const std::function<bool(const ViewSpec&)>& is_old) {
  absl::MutexLock lock(&mutex_);
  for (auto& [spec, entry] : entries_) {
    if (spec.cluster != cluster || !is_old(spec)) continue;
    entry->dirty = true;
    // The view has no watchers but is still working; it is dropped afterwards.
    if (!entry->watchers.empty()) Plan(*entry);
  }
}

void RankingViews::Stop(const absl::Status& status) {
  std::vector<std::shared_ptr<Watcher>> watchers;
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = status;
    for (const auto& [spec, entry] : entries_) {
      for (const auto& [key, member] : entry->watchers) watchers.push_back(member.watcher);
    }
  }
  for (const std::shared_ptr<Watcher>& watcher : watchers) watcher->End(status);
}

size_t RankingViews::size() const {
  absl::MutexLock lock(&mutex_);
  return entries_.size();
}

void RankingViews::Plan(Entry& entry) {
  if (entry.stage != Stage::kIdle) return;  // Plan is called again when it is idle.
  if (entry.watchers.empty()) return Drop(entry);
  const absl::Time due =
      entry.dirty ? entry.not_before
                  : std::max(entry.ranked_at + entry.view->spec().age_interval, entry.not_before);
  if (due <= options_.clock()) return Enqueue(entry);
  SetAlarm(entry, due);
}

void RankingViews::Enqueue(Entry& entry) {
  if (ends_) return;
  SetAlarm(entry, absl::InfiniteFuture());
  entry.stage = Stage::kRanking;
  ready_.push_back(&entry);
  ScheduleRankers();
}

void RankingViews::ScheduleRankers() {
  while (scheduled_ < ready_.size() && ranking_ < options_.rankers) {
    ++scheduled_;
    ++ranking_;
    options_.schedule([this] { RankNext(); });
  }
}

void RankingViews::SetAlarm(Entry& entry, absl::Time at) {
  if (entry.alarm == at) return;
  if (entry.alarm < absl::InfiniteFuture()) alarms_.erase({entry.alarm, &entry});
  entry.alarm = at;
  if (at == absl::InfiniteFuture()) return;
  const auto inserted = alarms_.emplace(at, &entry).first;
  if (inserted == alarms_.begin()) alarm_thread_.Wake();
}

void RankingViews::Drop(Entry& entry) {
  SetAlarm(entry, absl::InfiniteFuture());
  entries_.erase(entry.view->spec());
}

void RankingViews::RankNext() {
  Entry* entry = nullptr;
  bool is_watched = false;
  {
    absl::MutexLock lock(&mutex_);
    --scheduled_;
    entry = ready_.front();  // Not dropped before it is idle.
    ready_.pop_front();
    entry->dirty = false;
    is_watched = !entry->watchers.empty();
  }
  absl::StatusOr<bool> is_news = false;
  if (is_watched) is_news = RankView(*entry->view);
  std::vector<std::shared_ptr<Watcher>> watchers;
  {
    absl::MutexLock lock(&mutex_);
    watchers = Ranked(*entry, is_news);
  }
  for (const std::shared_ptr<Watcher>& watcher : watchers) {
    is_news.ok() ? watcher->Wake() : watcher->End(is_news.status());
  }
  absl::MutexLock lock(&mutex_);
  --ranking_;
  entry->stage = Stage::kIdle;
  Plan(*entry);
  ScheduleRankers();
  changed_.SignalAll();
}

absl::StatusOr<bool> RankingViews::RankView(RankingView& view) const {
  const std::shared_ptr<const RankingTop> before = view.top();
  auto top = options_.rank(view.spec(), before);
  if (!top.ok()) return top.status();
  return *top != before && view.Publish(*std::move(top));
}

std::vector<std::shared_ptr<Watcher>> RankingViews::Ranked(Entry& entry,
                                                           const absl::StatusOr<bool>& is_news) {
  const bool for_all = !is_news.ok() || *is_news;
  std::vector<std::shared_ptr<Watcher>> to_wake;
  for (const auto& [key, member] : entry.watchers) {
    if (for_all || entry.newcomers.contains(key)) to_wake.push_back(member.watcher);
  }
  entry.newcomers.clear();
  entry.stage = Stage::kWaking;
  entry.ranked_at = options_.clock();
  if (!is_news.ok()) {
    entry.watchers.clear();
    return to_wake;
  }
  if (*is_news) entry.has_top = true;
  if (*is_news || entry.view->spec().with_forecasts) {
    entry.not_before = entry.ranked_at + entry.view->spec().min_interval;
  }
  return to_wake;
}

absl::Time RankingViews::RunAlarms() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = options_.clock();
  while (!alarms_.empty() && alarms_.begin()->first <= now) {
    Entry& entry = *alarms_.begin()->second;
    SetAlarm(entry, absl::InfiniteFuture());
    Plan(entry);
  }
  return alarms_.empty() ? absl::InfiniteFuture() : alarms_.begin()->first;
}

}  // namespace priorityd::queue
