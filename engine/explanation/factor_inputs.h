// The inputs of a row's factors as text with figures.
#ifndef PRIORITYD_ENGINE_EXPLANATION_FACTOR_INPUTS_H_
#define PRIORITYD_ENGINE_EXPLANATION_FACTOR_INPUTS_H_

#include <cstddef>
#include <string>

#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/jobs/factors.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/scored_queue.h"

namespace priorityd::explanation {

// The factors of one row of a queue.
class FactorInputs {
 public:
  // All arguments must outlive it. REQUIRES: `row` has factors.
  FactorInputs(const priority::ScoredQueue& queue, size_t row,
               const priority::PriorityFactors& factors)
      : queue_(queue), row_(row), factors_(factors) {}

  std::string Age() const;
  std::string Assoc() const;
  std::string FairShare() const;
  std::string JobSize() const;
  std::string Partition() const;
  std::string Qos() const;
  std::string Tres(size_t i) const;

 private:
  // The age of a row that does not accrue.
  std::string StandingAge() const;
  const priority::Job& job() const { return queue_.jobs()[queue_.table().job[row_]]; }
  priority::AssociationIndex association() const {
    return queue_.table().association[queue_.table().job[row_]];
  }

  const priority::ScoredQueue& queue_;
  size_t row_;
  const priority::PriorityFactors& factors_;
};

// `0.80 (over-served)`; `infinite (under-served)`.
std::string LevelFsFigure(double level_fs);

// `account/user`, `account/user/partition` or `account`.
std::string AssociationText(const priority::AssociationTree& tree,
                            priority::AssociationIndex association);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_FACTOR_INPUTS_H_
