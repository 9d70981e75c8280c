// Job history, as files have it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_HISTORY_FILE_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_HISTORY_FILE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/laboratory/history.h"

namespace priorityd::replay {

struct History {
  std::string name;                          // As errors call it.
  std::vector<laboratory::HistoryJob> jobs;  // Sorted, of unique ids.
  std::map<std::string, int64_t> left_out;   // Rows by why they are not played.
  bool has_waits = true;                     // Otherwise the trace has only start times.
  // The machine of the trace's header; 0 = not in the header.
  int64_t nodes = 0;
  int64_t cpus = 0;
};

// INVALID_ARGUMENT for a machine of more than a million nodes, and for a job that ended more than
// 3660 days, the longest that a usage record may be, after its submission.
absl::Status CheckBounds(const History& history);

// Of two jobs with one id only the later stays: it ran again. Sorts.
void Settle(History* history);

// `load_factor` (above 0) times as many jobs in a time: times since the first job are divided by
// it and cut to seconds. What is then recorded is no schedule of any machine.
void Compress(double load_factor, History* history);

// Leaves out jobs that became eligible at `to` or later.
void CutAt(absl::Time to, History* history);

// Leaves out jobs of an account without a user, counted in `left_out`: a usage record may be
// charged to an account alone, but a waiting job has a user, whose association ranks it.
void LeaveOutWithoutUser(History* history);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_HISTORY_FILE_H_
