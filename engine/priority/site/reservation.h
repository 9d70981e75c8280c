// Advanced reservations: nodes that some users or accounts have for a period.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_RESERVATION_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_RESERVATION_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace priorityd::priority {

// Names of users or accounts, in Slurm's two forms: `a,b`, only these, and `-a,-b`, all but these.
struct AccessList {
  std::vector<std::string> names;  // Empty = nobody is named, and the list decides nothing.
  bool excludes = false;           // The second form.

  friend bool operator==(const AccessList&, const AccessList&) = default;
};

// A reservation; named as in `scontrol show reservation`.
struct Reservation {
  std::string name;
  absl::Time start;
  absl::Time end;            // After `start`.
  std::string nodes;         // A host list, or ALL.
  std::string partition;     // With ALL: those of the partition; empty = of the cluster.
  AccessList users;          // A job needs the leave of both lists.
  AccessList accounts;       // An account stands for all accounts below it too.
  bool maint = false;        // MAINT: may overlap others, whose jobs then leave its nodes alone.
  bool overlap = false;      // OVERLAP: may overlap others.
  bool ignore_jobs = false;  // IGNORE_JOBS: may be created on nodes that running jobs use.
  bool flex = false;  // FLEX: its jobs may start before it, end after it, and use other nodes too.

  bool OverlapsTime(absl::Time from, absl::Time until) const { return start < until && from < end; }
  // From when on, and until when, a job that names it may start.
  absl::Time opens() const { return flex ? absl::InfinitePast() : start; }
  bool OpenAt(absl::Time time) const { return opens() <= time && time < end; }

  friend bool operator==(const Reservation&, const Reservation&) = default;
};

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_RESERVATION_H_
