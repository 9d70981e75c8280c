#include "server/loop_options.h"

namespace priorityd {

recalculation::LoopOptions LoopOptionsOf(const Flags& flags) {
  recalculation::LoopOptions options;
  options.history.interval = flags.history_interval_seconds == 0
                                 ? absl::InfiniteDuration()
                                 : absl::Seconds(flags.history_interval_seconds);
  options.history.retention = absl::Hours(24) * flags.history_days;
  return options;
}

}  // namespace priorityd
