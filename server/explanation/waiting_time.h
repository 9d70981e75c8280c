// How much longer two jobs have to wait until the later one comes first.
#ifndef PRIORITYD_SERVER_EXPLANATION_WAITING_TIME_H_
#define PRIORITYD_SERVER_EXPLANATION_WAITING_TIME_H_

#include <optional>

#include "absl/time/time.h"
#include "server/explanation/row_pair.h"

namespace priorityd::explanation {

// The wait, in whole microseconds, from which on the order is turned for good;
// nullopt = never. Both wait and both age, so this takes a first row whose age is
// full sooner or does not count. Turns that last only until the first row's
// priority, too, passes the next integer do not count.
std::optional<absl::Duration> WaitingTimeToTurn(const RowPair& pair);

}  // namespace priorityd::explanation

#endif  // PRIORITYD_SERVER_EXPLANATION_WAITING_TIME_H_
