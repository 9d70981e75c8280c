// The time that two jobs have to wait until the later one comes first.
#ifndef PRIORITYD_ENGINE_EXPLANATION_WAITING_TIME_H_
#define PRIORITYD_ENGINE_EXPLANATION_WAITING_TIME_H_

#include <optional>

#include "absl/time/time.h"
#include "engine/explanation/row_pair.h"

namespace priorityd::explanation {

// The wait, in whole microseconds, after which the order stays reversed; nullopt = never. Both rows
// age, so this requires that the age of the first row is full sooner or does not count. A reversal
// that lasts only until the priority of the first row reaches the next integer does not count.
std::optional<absl::Duration> WaitingTimeToTurn(const RowPair& pair);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_ENGINE_EXPLANATION_WAITING_TIME_H_
