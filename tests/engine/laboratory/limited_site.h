// Random sites whose limits decide what starts.
#ifndef PRIORITYD_TESTS_ENGINE_LABORATORY_LIMITED_SITE_H_
#define PRIORITYD_TESTS_ENGINE_LABORATORY_LIMITED_SITE_H_

#include <random>
#include <vector>

#include "engine/laboratory/history.h"
#include "engine/laboratory/simulation.h"

namespace priorityd::laboratory {

// Nodes of two types in overlapping partitions, licenses, two accounts with users u0 to u5, four
// QOS; limits of all kinds, half of which some jobs reach.
Site LimitedSite(std::mt19937_64& random);
// Jobs of that site: some name several partitions, some request licenses.
std::vector<HistoryJob> LimitedHistory(std::mt19937_64& random, int jobs);
// Any policy, planner and caps.
PlayOptions LimitedOptions(std::mt19937_64& random);

}  // namespace priorityd::laboratory

#endif  // PRIORITYD_TESTS_ENGINE_LABORATORY_LIMITED_SITE_H_
