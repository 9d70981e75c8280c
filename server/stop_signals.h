// SIGTERM and SIGINT stop the service; SIGHUP makes it read files again.
#ifndef PRIORITYD_SERVER_STOP_SIGNALS_H_
#define PRIORITYD_SERVER_STOP_SIGNALS_H_

#include <csignal>

#include "absl/functional/function_ref.h"

namespace priorityd {

// Blocks the signals. Threads started later inherit the mask, so only AwaitStop receives them.
sigset_t BlockStopSignals();

// Returns at a signal to stop. Until then calls `each_second` every second and `on_hangup` at each
// SIGHUP. REQUIRES: `signals` is what BlockStopSignals returned.
void AwaitStop(const sigset_t& signals, absl::FunctionRef<void()> each_second,
               absl::FunctionRef<void()> on_hangup);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_STOP_SIGNALS_H_
