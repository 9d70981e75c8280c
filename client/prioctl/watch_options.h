// The command line of `prioctl watch`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_WATCH_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_WATCH_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace priorityd::prioctl {

// `prioctl watch`
struct WatchOptions {
  uint32_t limit = 0;  // 0 = as many as the screen shows, else 100
  std::vector<std::string> partitions;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  bool best_only = false;
  bool explain = false;             // with a column for each factor
  bool ineligible = false;          // jobs that cannot start, too
  double interval_seconds = 0;      // between two answers, at least
  double age_interval_seconds = 0;  // 0 = never
  int64_t count = 0;                // answers; 0 = until interrupted
  bool json = false;
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_WATCH_OPTIONS_H_
