// Schedules recalculations: takes the time, returns the due cluster.
#ifndef PRIORITYD_SERVER_RECALCULATION_SCHEDULE_H_
#define PRIORITYD_SERVER_RECALCULATION_SCHEDULE_H_

#include <optional>
#include <string>
#include <utility>

#include "absl/container/btree_map.h"
#include "absl/container/btree_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/site/policy.h"

namespace priorityd::recalculation {

// The next due time: the first moment after `now` that is a whole number of periods after `anchor`,
// so that neither a slow nor a late recalculation shifts the schedule. REQUIRES: period > 0.
absl::Time NextDue(absl::Time anchor, absl::Duration period, absl::Time now);

// The next due time of each cluster on the real clock. Has no thread, clock or database: the caller
// passes the time and the events. Clusters on a manual clock are not scheduled. Not thread-safe.
class Schedule {
 public:
  // The delay before a failed recalculation is retried.
  static constexpr absl::Duration kRetryDelay = absl::Seconds(5);
  // The minimum delay of a hastened recalculation after the last one, so that many changes share
  // one.
  static constexpr absl::Duration kBetweenHastened = absl::Seconds(1);

  // Adds a cluster that was last recalculated at `last`: it is due one period later, or at `wake`,
  // when a lease begins or ends, if that is sooner. A scheduled cluster stays unchanged. REQUIRES:
  // period > 0.
  void Add(const std::string& cluster, absl::Time last, absl::Duration period,
           absl::Time wake = absl::InfiniteFuture());

  // Does nothing if the cluster is not scheduled.
  void Remove(absl::string_view cluster);
  void Clear();

  // Lets a change of the configuration take effect soon: the cluster is due at once, but not before
  // kBetweenHastened after the last recalculation. A running recalculation may have read the old
  // configuration, so the cluster is due again after it. Does nothing if the cluster is not
  // scheduled.
  void Hasten(const std::string& cluster, absl::Time now);

  // Reports the start of a recalculation that reads the present state.
  void Begun(const std::string& cluster);

  // Reports a finished recalculation under this policy. While the period stays the same, due times
  // remain whole periods after the first one; a new period counts from `now`. A cluster on a manual
  // clock is removed. `wake`: when a lease begins or ends; the cluster is due then if that is
  // sooner, but not before kBetweenHastened after `now`. REQUIRES: policy.calc_period > 0.
  void Succeeded(const std::string& cluster, const priority::Policy& policy, absl::Time now,
                 absl::Time wake = absl::InfiniteFuture());

  // Reports a failed recalculation: the cluster is due again after kRetryDelay. After NOT_FOUND and
  // FAILED_PRECONDITION (AS_OF_NEEDED), which a retry does not cure, it is removed.
  void Failed(const std::string& cluster, const absl::Status& status, absl::Time now);

  // Selects the clusters to consider.
  using Which = absl::FunctionRef<bool(const std::string& cluster)>;

  // The cluster that has been due the longest, the first by name among equals; nullopt if none is
  // due at `now`.
  std::optional<std::string> Due(absl::Time now, Which which = Any) const;

  // The next due time; InfiniteFuture() if there is none.
  absl::Time NextWake(Which which = Any) const;

  // nullopt if the cluster is not scheduled.
  std::optional<absl::Time> DueAt(absl::string_view cluster) const;

 private:
  struct Entry {
    absl::Time due = absl::InfinitePast();
    absl::Time anchor = absl::InfinitePast();  // The first due time with this period.
    absl::Duration period;                     // 0 = no success yet.
    absl::Time last = absl::InfinitePast();    // Time of the last success.
    bool hastened = false;                     // Since the last start.
  };

  static bool Any(const std::string&) { return true; }
  void SetDue(const std::string& cluster, Entry& entry, absl::Time due);

  absl::btree_map<std::string, Entry> entries_;
  absl::btree_set<std::pair<absl::Time, std::string>> by_due_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_SCHEDULE_H_
