// The views with their watchers, and the schedule of rankings.
#ifndef PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_VIEWS_H_
#define PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_VIEWS_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_set.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/queue/watching/ranking_top.h"
#include "server/queue/watching/ranking_view.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/threads/clock.h"
#include "server/threads/periodic_thread.h"

namespace priorityd::queue {

// A watching client. Its functions may be called concurrently, without locks of this folder held;
// they must not wait.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // The view has news for the watcher.
  virtual void Wake() = 0;
  // The watch has ended.
  virtual void End(const absl::Status& status) = 0;
};

// Watchers of equal specs share a view, which is ranked once for all of them: after a change of the
// queue, for a new watcher that joins later than kFresh after the last ranking, and every
// age_interval. Changes while a view waits for its ranking or for min_interval are sent together.
// Thread-safe.
class RankingViews {
 public:
  // New watchers get a top of at most this age without a new ranking.
  static constexpr absl::Duration kFresh = absl::Seconds(1);

  // Ranks; returns `before` itself (null = none) if nothing can have changed.
  using Rank = std::function<absl::StatusOr<std::shared_ptr<const RankingTop>>(
      const ViewSpec& spec, const std::shared_ptr<const RankingTop>& before)>;

  struct Options {
    Rank rank;
    const Encoder* encoder = nullptr;
    // Runs work on another thread.
    std::function<void(std::function<void()>)> schedule;
    // Views ranked in parallel. A ranker schedules its next view only after finishing one, so that
    // other work gets its turn regardless of the number of views.
    int rankers = 1;
    // Measures intervals; a real clock.
    threads::Clock clock;
    // Maximum numbers of distinct views, of rows of all views (a row with factors counts as
    // kRowsWithFactors, one with a forecast as kRowsWithForecasts, a view with ineligible jobs
    // counts twice), and of watchers.
    size_t max_views = 1000;
    size_t max_rows = 1'000'000;
    size_t max_watchers = 20'000;
    // One caller's part of these.
    quotas::Parts parts;
  };
  // The approximate memory of a row with factors, in rows without.
  static constexpr size_t kRowsWithFactors = 4;
  // The same of the time to rank a row with a forecast.
  static constexpr size_t kRowsWithForecasts = 20;

  // The objects that the options point to must outlive this.
  explicit RankingViews(Options options);
  // Waits for scheduled work. REQUIRES: no more calls.
  ~RankingViews();
  RankingViews(const RankingViews&) = delete;
  RankingViews& operator=(const RankingViews&) = delete;

  // Starts a watch; Wake and End may be called from now on. `ready`: the view already has news.
  // After Stop: the error given there. A view and its rows count for the first caller who watched
  // it; when that caller leaves, for another watcher. RESOURCE_EXHAUSTED states the quota that
  // would be exceeded.
  absl::StatusOr<std::shared_ptr<RankingView>> Join(const ViewSpec& spec,
                                                    const std::shared_ptr<Watcher>& watcher,
                                                    const quotas::Holder& caller, bool* ready);
  // Ends a watch without calling the watcher.
  void Leave(const RankingView& view, const Watcher& watcher);

  // Call when a cluster's queue or snapshot has changed. Does not wait.
  void Changed(absl::string_view cluster) {
    Rerank(cluster, [](const ViewSpec&) { return true; });
  }
  // Call when the forecasts of a cluster have changed: its views with forecasts are ranked again.
  void ForecastsChanged(absl::string_view cluster) {
    Rerank(cluster, [](const ViewSpec& spec) { return spec.with_forecasts; });
  }

  // Ends all present and later watches.
  void Stop(const absl::Status& status);

  // Views with watchers or with work in progress.
  size_t size() const;

  // Watchers of all views.
  size_t watchers() const { return watchers_.usage().used; }

  std::vector<quotas::Usage> Usages() const {
    return {watchers_.usage(), views_.usage(), rows_.usage()};
  }

 private:
  struct Member {
    std::shared_ptr<Watcher> watcher;
    quotas::Share place;
  };
  using Watchers = absl::flat_hash_map<const Watcher*, Member>;

  enum class Stage {
    kIdle,
    kRanking,  // In ready_, or being ranked.
    kWaking,   // Watchers are being woken.
  };
  // A view with its pending work.
  struct Entry {
    std::shared_ptr<RankingView> view;
    quotas::Share place;
    quotas::Share rows;
    Watchers watchers;
    absl::flat_hash_set<const Watcher*> newcomers;  // Not woken yet.
    Stage stage = Stage::kIdle;
    bool dirty = false;  // Must be ranked again.
    bool has_top = false;
    absl::Time ranked_at = absl::InfinitePast();
    absl::Time not_before = absl::InfinitePast();  // By min_interval.
    absl::Time alarm = absl::InfiniteFuture();
  };

  // The view's entry, created if necessary.
  absl::StatusOr<Entry*> EntryOf(const ViewSpec& spec, const quotas::Holder& caller)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Counts the view and its rows for the caller.
  static void PassTo(const quotas::Holder& caller, Entry* entry);
  // Ends the membership of a watcher; false if it is not a member.
  static bool Remove(const Watcher& watcher, Entry* entry);

  void Rerank(absl::string_view cluster, const std::function<bool(const ViewSpec&)>& is_old)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Decides when the view is ranked next; drops one without watchers.
  void Plan(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Enqueue(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Schedules a ranker for each view in ready_, as far as there may be as many.
  void ScheduleRankers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetAlarm(Entry& entry, absl::Time at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Drop(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // The work of a ranker: ranks the first view in ready_ and wakes its watchers.
  void RankNext() ABSL_LOCKS_EXCLUDED(mutex_);
  // True if readers must be woken.
  absl::StatusOr<bool> RankView(RankingView& view) const;
  // Records the result; returns the watchers to wake.
  std::vector<std::shared_ptr<Watcher>> Ranked(Entry& entry, const absl::StatusOr<bool>& is_news)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Plans the views whose alarm is due; returns the time of the next alarm.
  absl::Time RunAlarms() ABSL_LOCKS_EXCLUDED(mutex_);

  const Options options_;
  quotas::Quota watchers_;
  quotas::Quota views_;
  quotas::Quota rows_;  // Maximum for all views.
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  absl::flat_hash_map<ViewSpec, std::unique_ptr<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
  std::deque<Entry*> ready_ ABSL_GUARDED_BY(mutex_);
  int ranking_ ABSL_GUARDED_BY(mutex_) = 0;       // Rankers scheduled or running.
  size_t scheduled_ ABSL_GUARDED_BY(mutex_) = 0;  // Of them; at most the size of ready_.
  absl::btree_set<std::pair<absl::Time, Entry*>> alarms_ ABSL_GUARDED_BY(mutex_);
  absl::Status stopped_ ABSL_GUARDED_BY(mutex_);
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  threads::PeriodicThread alarm_thread_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_VIEWS_H_
