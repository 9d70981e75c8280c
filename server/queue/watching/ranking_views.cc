#include "server/queue/watching/ranking_views.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace priorityd::queue {
namespace {

size_t RowsOf(const ViewSpec& spec) {
  const size_t rows = spec.limit * (spec.with_factors ? RankingViews::kRowsWithFactors : 1);
  return spec.ineligible ? 2 * rows : rows;
}

absl::Status Exceeds(absl::string_view what, size_t got, size_t most) {
  return absl::ResourceExhaustedError(absl::StrCat("too many watches: got ", got, " ", what,
                                                   ", want at most ", most,
                                                   "; watch again later or elsewhere"));
}

}  // namespace

RankingViews::RankingViews(Options options)
    : options_(std::move(options)), alarm_thread_(options_.clock) {
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
    const ViewSpec& spec, const std::shared_ptr<Watcher>& watcher, bool* ready) {
  absl::MutexLock lock(&mutex_);
  if (!stopped_.ok()) return stopped_;
  if (absl::Status s = CheckRoom(spec); !s.ok()) return s;
  std::unique_ptr<Entry>& entry = entries_[spec];
  if (entry == nullptr) {
    rows_ += RowsOf(spec);
    entry = std::make_unique<Entry>();
    entry->view = std::make_shared<RankingView>(spec, options_.encoder);
  }
  const Watcher* const key = watcher.get();
  entry->watchers.emplace(key, watcher);
  ++watchers_;
  const absl::Time now = options_.clock();
  const bool is_ranking = entry->stage == Stage::kRanking;
  const bool up_to_date = !entry->dirty && !is_ranking && now - entry->ranked_at < kFresh;
  *ready = entry->has_top && (up_to_date || now < entry->not_before);
  if (!*ready) {
    entry->newcomers.insert(key);
    // What is being ranked now is new enough.
    if (!is_ranking) entry->dirty = true;
    Plan(*entry);
  }
  return entry->view;
}

absl::Status RankingViews::CheckRoom(const ViewSpec& spec) const {
  if (watchers_ >= options_.max_watchers) {
    return Exceeds("watchers", watchers_ + 1, options_.max_watchers);
  }
  if (entries_.contains(spec)) return absl::OkStatus();
  if (entries_.size() >= options_.max_views) {
    return Exceeds("different views", entries_.size() + 1, options_.max_views);
  }
  const size_t rows = rows_ + RowsOf(spec);
  return rows <= options_.max_rows ? absl::OkStatus()
                                   : Exceeds("rows of all views", rows, options_.max_rows);
}

void RankingViews::Leave(const RankingView& view, const Watcher& watcher) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(view.spec());
  if (found == entries_.end() || found->second->watchers.erase(&watcher) == 0) return;
  --watchers_;
  found->second->newcomers.erase(&watcher);
  if (found->second->watchers.empty()) Plan(*found->second);
}

void RankingViews::Changed(absl::string_view cluster) {
  absl::MutexLock lock(&mutex_);
  for (auto& [spec, entry] : entries_) {
    if (spec.cluster != cluster) continue;
    entry->dirty = true;
    // A view that nobody watches is at work still, and is dropped after that.
    if (!entry->watchers.empty()) Plan(*entry);
  }
}

void RankingViews::Stop(const absl::Status& status) {
  std::vector<std::shared_ptr<Watcher>> watchers;
  {
    absl::MutexLock lock(&mutex_);
    stopped_ = status;
    for (const auto& [spec, entry] : entries_) {
      for (const auto& [key, watcher] : entry->watchers) watchers.push_back(watcher);
    }
  }
  for (const std::shared_ptr<Watcher>& watcher : watchers) watcher->End(status);
}

size_t RankingViews::watchers() const {
  absl::MutexLock lock(&mutex_);
  return watchers_;
}

size_t RankingViews::size() const {
  absl::MutexLock lock(&mutex_);
  return entries_.size();
}

void RankingViews::Plan(Entry& entry) {
  if (entry.stage != Stage::kIdle) return;  // Comes here again when it is.
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
  if (ranking_ >= options_.rankers) return;
  ++ranking_;
  options_.schedule([this] { RankNext(); });
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
  rows_ -= RowsOf(entry.view->spec());
  entries_.erase(entry.view->spec());
}

void RankingViews::RankNext() {
  Entry* entry = nullptr;
  bool is_watched = false;
  {
    absl::MutexLock lock(&mutex_);
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
  entry->stage = Stage::kIdle;
  Plan(*entry);
  if (!ready_.empty()) return options_.schedule([this] { RankNext(); });
  --ranking_;
  changed_.SignalAll();
}

absl::StatusOr<bool> RankingViews::RankView(RankingView& view) const {
  const std::shared_ptr<const RankingTop> before = view.top();
  auto top = options_.rank(view.spec(), before);
  if (!top.ok()) return top.status();
  return *top != before && view.Take(*std::move(top));
}

std::vector<std::shared_ptr<Watcher>> RankingViews::Ranked(Entry& entry,
                                                           const absl::StatusOr<bool>& is_news) {
  const bool for_all = !is_news.ok() || *is_news;
  std::vector<std::shared_ptr<Watcher>> told;
  for (const auto& [key, watcher] : entry.watchers) {
    if (for_all || entry.newcomers.contains(key)) told.push_back(watcher);
  }
  entry.newcomers.clear();
  entry.stage = Stage::kWaking;
  entry.ranked_at = options_.clock();
  if (!is_news.ok()) {
    watchers_ -= entry.watchers.size();
    entry.watchers.clear();
  } else if (*is_news) {
    entry.has_top = true;
    entry.not_before = entry.ranked_at + entry.view->spec().min_interval;
  }
  return told;
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
