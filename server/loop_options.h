// What the command line says of the recalculation loop.
#ifndef PRIORITYD_SERVER_LOOP_OPTIONS_H_
#define PRIORITYD_SERVER_LOOP_OPTIONS_H_

#include "server/flags.h"
#include "server/recalculation/recalculation_loop.h"

namespace priorityd {

// All but what is to be called.
recalculation::LoopOptions LoopOptionsOf(const Flags& flags);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_LOOP_OPTIONS_H_
