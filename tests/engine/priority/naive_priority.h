// The second part of the naive ranking: the factors and the priority.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_PRIORITY_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_PRIORITY_H_

#include "tests/engine/priority/naive_jobs.h"

namespace priorityd::priority {

// Sets the priority of every pair of the queue.
void SetNaivePriorities(NaiveJobs& queue);

// Whether a comes before b: rule 6 of the order.
// What a pair's priority is made of, in points, in the order of Slurm's formula.
struct NaiveTerm {
  std::string name;
  double points = 0;
};
std::vector<NaiveTerm> NaiveTerms(const NaiveJobs& queue, const NaivePair& pair);

bool NaiveIdBefore(const std::string& a, const std::string& b);

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_NAIVE_PRIORITY_H_
