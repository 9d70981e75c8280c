// The usage of a simulation, decayed from one recalculation to the next.
#ifndef PRIORITYD_ENGINE_LABORATORY_USAGE_BOOK_H_
#define PRIORITYD_ENGINE_LABORATORY_USAGE_BOOK_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/btree_map.h"
#include "absl/time/time.h"
#include "engine/laboratory/history.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/site/policy.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::laboratory {

// The usage of a running job per second.
struct Charge {
  priority::AssociationIndex association = priority::kNoAssociation;
  int partition = -1;
  int qos = -1;
  double usage_factor = 1;
  double billing = 0;
  priority::TresMap tres;  // By canonical name, without `billing`.
};

// A site under a policy, without usage.
priority::SnapshotSource SourceOf(const Site& site, const priority::Policy& policy);

// Recalculations take place at multiples of PriorityCalcPeriod since 1970. Sums are computed in the
// order of the jobs, so that equal schedules give equal numbers, bit by bit. `site` and `policy`
// must outlive it.
class UsageBook {
 public:
  // There is no usage before `begin`, which is finite.
  UsageBook(const Site& site, const priority::Policy& policy, absl::Time begin);

  // The time of the last recalculation; of the next one.
  absl::Time as_of() const { return as_of_; }
  absl::Time next() const { return as_of_ + period_; }

  // Charges the job for [start, end). REQUIRES: `start` is not before as_of().
  void Add(size_t job, Charge charge, absl::Time start, absl::Time end);
  // Runs all recalculations up to `time`; returns whether there was any.
  bool AdvanceTo(absl::Time time);

  // Sets the usage of `source` to that at as_of().
  void Fill(priority::SnapshotSource* source) const;

 private:
  struct Run {
    Charge charge;
    absl::Time start;
    absl::Time end;
  };
  // The amounts of all associations, then of all QOS.
  using Column = std::vector<double>;

  void Recalculate(absl::Time to);
  void Count(const Run& run, double seconds, double seconds_without_decay);
  double LinearCapacity() const;

  const Site& site_;
  const priority::Policy& policy_;
  const absl::Duration period_;
  const absl::Time begin_;
  const priority::UsageDecay decay_;
  const priority::UsageDecay without_decay_;  // For QOS with NoDecay; resets apply to them too.
  absl::Time as_of_;
  Column billing_;
  Column wall_;
  std::vector<std::string> tres_;  // The TRES that any GrpTRESMins names.
  std::vector<Column> columns_;    // By tres_.
  absl::btree_map<size_t, Run> runs_;
};

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_ENGINE_LABORATORY_USAGE_BOOK_H_
