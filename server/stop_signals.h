// SIGTERM and SIGINT, which stop the service, and SIGHUP, at which it looks at files again.
#ifndef PRIORITYD_SERVER_STOP_SIGNALS_H_
#define PRIORITYD_SERVER_STOP_SIGNALS_H_

#include <csignal>

#include "absl/functional/function_ref.h"

namespace priorityd {

// Every thread that is started later inherits it, so that only AwaitStop hears
// the signals.
sigset_t BlockStopSignals();

// Returns when one comes that stops it; calls `each_second` meanwhile, and `on_hangup` at each
// SIGHUP. REQUIRES: `signals` is what BlockStopSignals returned.
void AwaitStop(const sigset_t& signals, absl::FunctionRef<void()> each_second,
               absl::FunctionRef<void()> on_hangup);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_STOP_SIGNALS_H_
