#include "tests/soak/load.h"

namespace priorityd::soak {

void Load::Run() {
  while (!ends_) {
    Step();
    absl::SleepFor(pause_);
  }
  Finish();
}

}  // namespace priorityd::soak
