// The words of an explanation.
#ifndef PRIORITYD_SERVER_EXPLANATION_EXPLANATION_TEXT_H_
#define PRIORITYD_SERVER_EXPLANATION_EXPLANATION_TEXT_H_

#include <string>
#include <vector>

#include "server/explanation/explanation.h"
#include "server/priority/scored_queue.h"

namespace priorityd::explanation {

// What goes into the factors of one row of a queue, in words and figures.
class FactorInputs {
 public:
  // Everything given must outlive it. REQUIRES: `row` has factors.
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
  const priority::Job& job() const { return queue_.jobs()[queue_.table().job[row_]]; }
  priority::AssociationIndex association() const {
    return queue_.table().association[queue_.table().job[row_]];
  }

  const priority::ScoredQueue& queue_;
  size_t row_;
  const priority::PriorityFactors& factors_;
};

// The sentences of an explanation whose other fields are filled, most important
// first: its place or why it has none, the ordering rules before priority, what
// decided the priority, the factors by what they give, what it costs.
// `row` is its row in the queue; -1 = it has none.
std::vector<std::string> Sentences(const priority::ScoredQueue& queue, int row,
                                   const Explanation& explanation);

// `0.80 (over-served)`; `infinite (under-served)`.
std::string LevelFsFigure(double level_fs);

// `account/user`, `account/user/partition` or `account`.
std::string AssociationText(const priority::AssociationTree& tree,
                            priority::AssociationIndex association);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_EXPLANATION_TEXT_H_
