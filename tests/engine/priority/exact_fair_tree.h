// Fair Tree a second time: naive, recursive, in exact arithmetic.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_EXACT_FAIR_TREE_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_EXACT_FAIR_TREE_H_

#include <boost/multiprecision/cpp_int.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/priority/fair_share/association_tree.h"

namespace priorityd::priority {

using Rational = boost::multiprecision::cpp_rational;

// The rational of a decimal such as `12.5`.
Rational RationalOf(const std::string& decimal);

// Fair-share of every user association by id, by the documented rule (tied
// accounts merged), written from its prose and sharing no code with the engine.
std::map<int64_t, Rational> ExactFairTree(const std::vector<Association>& associations,
                                          const std::map<int64_t, Rational>& own_usage);

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_EXACT_FAIR_TREE_H_
