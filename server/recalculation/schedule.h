// Which cluster is recalculated when: time in, due cluster out.
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
#include "server/priority/policy.h"

namespace priorityd::recalculation {

// When a periodic recalculation comes next: the first moment after `now` that is
// a whole number of periods after `anchor`, so that neither a slow nor a late one
// shifts the schedule. REQUIRES: period > 0.
absl::Time NextDue(absl::Time anchor, absl::Duration period, absl::Time now);

// When each cluster on the real clock is recalculated next. It has no thread, no clock
// and no database: the caller says what time it is and what happened. A cluster on a
// manual clock is not in it. Not thread-safe.
class Schedule {
 public:
  // After so long a failed recalculation is tried again.
  static constexpr absl::Duration kRetryDelay = absl::Seconds(5);
  // One that a change hastens comes no sooner after the last one: many changes share one.
  static constexpr absl::Duration kBetweenHastened = absl::Seconds(1);

  // Adds a cluster that was recalculated last at `last`: it is due a period after that.
  // One that is there already stays as it is. REQUIRES: period > 0.
  void Add(const std::string& cluster, absl::Time last, absl::Duration period);

  // Does nothing if the cluster is not there.
  void Remove(absl::string_view cluster);
  void Clear();

  // A change of its configuration is to take effect soon: the cluster is due at once, but
  // kBetweenHastened after the last recalculation; again after one that is under way, which may
  // have read what was before. Does nothing if the cluster is not there.
  void Hasten(const std::string& cluster, absl::Time now);

  // A recalculation that reads what there is now begins.
  void Begun(const std::string& cluster);

  // A recalculation under this policy is done. As long as the period stays the same,
  // due times stay whole periods after the first one; a new period counts from `now`.
  // On a manual clock the cluster is removed. REQUIRES: policy.calc_period > 0.
  void Succeeded(const std::string& cluster, const priority::Policy& policy, absl::Time now);

  // A recalculation failed: it is due again after kRetryDelay. After
  // FAILED_PRECONDITION and NOT_FOUND, which do not pass by themselves, the cluster is
  // removed.
  void Failed(const std::string& cluster, const absl::Status& status, absl::Time now);

  // Which clusters are asked about; the others are passed over.
  using Which = absl::FunctionRef<bool(const std::string& cluster)>;

  // The cluster that has been due the longest, by name where several have; nullopt if
  // none is due at `now`.
  std::optional<std::string> Due(absl::Time now, Which which = Any) const;

  // When the next cluster is due; InfiniteFuture() if there is none.
  absl::Time NextWake(Which which = Any) const;

  // nullopt if the cluster is not there.
  std::optional<absl::Time> DueAt(absl::string_view cluster) const;

 private:
  struct Entry {
    absl::Time due = absl::InfinitePast();
    absl::Time anchor = absl::InfinitePast();  // The first one of this period.
    absl::Duration period;                     // 0 = none succeeded yet.
    absl::Time last = absl::InfinitePast();    // When one succeeded.
    bool hastened = false;                     // Since the last one began.
  };

  static bool Any(const std::string&) { return true; }
  void SetDue(const std::string& cluster, Entry& entry, absl::Time due);

  absl::btree_map<std::string, Entry> entries_;
  absl::btree_set<std::pair<absl::Time, std::string>> by_due_;
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_SCHEDULE_H_
