// What was used so far, decayed from one recalculation to the next.
#ifndef PRIORITYD_SERVER_LABORATORY_USAGE_BOOK_H_
#define PRIORITYD_SERVER_LABORATORY_USAGE_BOOK_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/time/time.h"
#include "server/laboratory/history.h"
#include "server/priority/policy.h"
#include "server/priority/snapshot.h"
#include "server/priority/usage_decay.h"

namespace priorityd::laboratory {

// What a running job uses in a second.
struct Charge {
  priority::AssociationIndex association = priority::kNoAssociation;
  int qos = -1;
  double usage_factor = 1;
  double billing = 0;
  priority::TresMap tres;  // Canonical names; `billing` is not among them.
};

// Recalculations are at the multiples of PriorityCalcPeriod since 1970. Sums are taken in the order
// of the jobs, so that equal schedules give equal numbers, to the bit. `site` and `policy` must
// outlive it.
class UsageBook {
 public:
  // Nothing was used before `begin`, which is finite.
  UsageBook(const Site& site, const priority::Policy& policy, absl::Time begin);

  // Of the last recalculation, and of the next one.
  absl::Time as_of() const { return as_of_; }
  absl::Time next() const { return as_of_ + period_; }

  // The job uses that in [start, end). REQUIRES: `start` is not before as_of().
  void Add(size_t job, Charge charge, absl::Time start, absl::Time end);
  // Through all recalculations up to `time`; whether there was any.
  bool AdvanceTo(absl::Time time);

  // Puts the usage at as_of() into what a snapshot is made from.
  void Fill(priority::SnapshotSource* source) const;

 private:
  struct Run {
    Charge charge;
    absl::Time start;
    absl::Time end;
  };
  // One amount for each association, then one for each QOS.
  using Column = std::vector<double>;

  void Recalculate(absl::Time to);
  void Count(const Run& run, double seconds, double seconds_without_decay);
  double LinearCapacity() const;

  const Site& site_;
  const priority::Policy& policy_;
  const absl::Duration period_;
  const absl::Time begin_;
  const priority::UsageDecay decay_;
  const priority::UsageDecay without_decay_;  // Of QOS with NoDecay; resets hold for those too.
  absl::Time as_of_;
  Column billing_;
  Column wall_;
  std::vector<std::string> tres_;  // Those that some GrpTRESMins names.
  std::vector<Column> columns_;    // Of each.
  absl::btree_map<size_t, Run> runs_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_SERVER_LABORATORY_USAGE_BOOK_H_
