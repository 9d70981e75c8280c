// The watchers of each view, and when it is ranked again.
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

// A client that watches. Its functions are called one after another or at once, with no
// lock of this folder held; they must not wait.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Its view has something new for it.
  virtual void Wake() = 0;
  // The watch is over.
  virtual void End(const absl::Status& status) = 0;
};

// Watchers of the same share a view, which is ranked once for all of them: when the
// queue has changed, at the first one that comes later than kFresh after the last
// time, and every age_interval. What changes while a view waits to be ranked, or for
// its min_interval to pass, comes together. Thread-safe.
class RankingViews {
 public:
  // A top this young is shown to new watchers as it is.
  static constexpr absl::Duration kFresh = absl::Seconds(1);

  // Ranks; answers `before` itself (null = there is none) if nothing can have changed.
  using Rank = std::function<absl::StatusOr<std::shared_ptr<const RankingTop>>(
      const ViewSpec& spec, const std::shared_ptr<const RankingTop>& before)>;

  struct Options {
    Rank rank;
    const Encoder* encoder = nullptr;
    // Runs work on some other thread.
    std::function<void(std::function<void()>)> schedule;
    // Views ranked at once. Each is scheduled when the one before it is done, so that
    // other work gets its turn however many views there are.
    int rankers = 1;
    // What intervals are measured by; a real one.
    threads::Clock clock;
    // Different views, rows of all of them (one with factors counts as kRowsWithFactors, a view
    // with ineligible jobs twice), and watchers at one time.
    size_t max_views = 1000;
    size_t max_rows = 1'000'000;
    size_t max_watchers = 20'000;
    // What one caller may hold of these.
    quotas::Parts parts;
  };
  // Its memory, about, in rows without.
  static constexpr size_t kRowsWithFactors = 4;

  // What the options point to must outlive this.
  explicit RankingViews(Options options);
  // Waits for what is scheduled. REQUIRES: there are no more calls.
  ~RankingViews();
  RankingViews(const RankingViews&) = delete;
  RankingViews& operator=(const RankingViews&) = delete;

  // Begins a watch, to which Wake and End apply from now on. `ready`: there is something
  // new already. After Stop: the error given there. A view and its rows are held by the caller who
  // was the first to watch it; when that one leaves, by another who still does.
  // RESOURCE_EXHAUSTED names the quota that it would exceed.
  absl::StatusOr<std::shared_ptr<RankingView>> Join(const ViewSpec& spec,
                                                    const std::shared_ptr<Watcher>& watcher,
                                                    const quotas::Holder& caller, bool* ready);
  // Ends it, without a word to the watcher.
  void Leave(const RankingView& view, const Watcher& watcher);

  // The queue of a cluster has changed, or its snapshot. Returns at once.
  void Changed(absl::string_view cluster);

  // Ends all watches, and those that begin later.
  void Stop(const absl::Status& status);

  // Views that have watchers, or that are still at work.
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
  // A view with what is to be done about it.
  struct Entry {
    std::shared_ptr<RankingView> view;
    quotas::Share place;
    quotas::Share rows;
    Watchers watchers;
    absl::flat_hash_set<const Watcher*> newcomers;  // They have not been woken yet.
    Stage stage = Stage::kIdle;
    bool dirty = false;  // To be ranked again.
    bool has_top = false;
    absl::Time ranked_at = absl::InfinitePast();
    absl::Time not_before = absl::InfinitePast();  // By min_interval.
    absl::Time alarm = absl::InfiniteFuture();
  };

  // The view's entry, made if need be.
  absl::StatusOr<Entry*> EntryOf(const ViewSpec& spec, const quotas::Holder& caller)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Has the caller hold the view and its rows.
  static void PassTo(const quotas::Holder& caller, Entry* entry);
  // Ends the membership of a watcher; false if it is none.
  static bool Remove(const Watcher& watcher, Entry* entry);

  // Decides when the view is ranked next; drops one without watchers.
  void Plan(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Enqueue(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetAlarm(Entry& entry, absl::Time at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Drop(Entry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  // What a ranker does: ranks the view that is first in ready_, and wakes its watchers.
  void RankNext() ABSL_LOCKS_EXCLUDED(mutex_);
  // True if readers must be woken.
  absl::StatusOr<bool> RankView(RankingView& view) const;
  // Records the result; answers the watchers to wake.
  std::vector<std::shared_ptr<Watcher>> Ranked(Entry& entry, const absl::StatusOr<bool>& is_news)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Plans the views whose alarm has come; returns when the next one comes.
  absl::Time RunAlarms() ABSL_LOCKS_EXCLUDED(mutex_);

  const Options options_;
  quotas::Quota watchers_;
  quotas::Quota views_;
  quotas::Quota rows_;  // Of all views, at most.
  mutable absl::Mutex mutex_;
  absl::CondVar changed_;
  absl::flat_hash_map<ViewSpec, std::unique_ptr<Entry>> entries_ ABSL_GUARDED_BY(mutex_);
  std::deque<Entry*> ready_ ABSL_GUARDED_BY(mutex_);
  int ranking_ ABSL_GUARDED_BY(mutex_) = 0;  // Rankers scheduled or at work.
  absl::btree_set<std::pair<absl::Time, Entry*>> alarms_ ABSL_GUARDED_BY(mutex_);
  absl::Status stopped_ ABSL_GUARDED_BY(mutex_);
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  threads::PeriodicThread alarm_thread_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_WATCHING_RANKING_VIEWS_H_
