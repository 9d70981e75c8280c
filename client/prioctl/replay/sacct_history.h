// Job history from output of sacct, and as such output.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_SACCT_HISTORY_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_SACCT_HISTORY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/prioctl/replay/history_file.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/simulation.h"

namespace priorityd::replay {

// A row of sacct. The times of `job` are not set: they are here, as far as they are known.
struct SacctJob {
  laboratory::HistoryJob job;
  bool is_step = false;       // Then only the id is set.
  std::string listed_id;      // By JobID: 7, 7_3, of an array's waiting tasks 7_[1-50%5].
  double requested_cpus = 0;  // Known before the start; 0 = not known.
  bool is_held = false;       // Neither eligible nor started, by a column that says so.
  std::optional<absl::Time> submit;
  std::optional<absl::Time> eligible;
  std::optional<absl::Time> start;
  std::optional<absl::Time> end;  // Without a start: of its wait.
};

// The rows of what ReadSacctHistory reads, in the order of the file, those of jobs that never
// started or still run included. INVALID_ARGUMENT names the line.
absl::StatusOr<std::vector<SacctJob>> ReadSacctJobs(const std::string& name,
                                                    absl::string_view content, absl::TimeZone zone);

// Reads what `sacct --json`, or `sacct -P` with a heading printed. Columns wanted are JobID (or
// JobIDRaw), User, Account, Submit, Start and End; Partition, QOS, Eligible, Timelimit (or
// TimelimitRaw), AllocTRES, AllocCPUS (or NCPUS), AllocNodes (or NNodes) and NodeList are read too.
// Times are of `zone`. Steps, jobs that never started and jobs that still run are left out.
// INVALID_ARGUMENT names the line.
absl::StatusOr<History> ReadSacctHistory(const std::string& name, absl::string_view content,
                                         absl::TimeZone zone);

// The jobs that started in a play, as ReadSacctHistory reads them. `node_names`: of Machine.
std::string SacctText(absl::Span<const laboratory::HistoryJob> jobs,
                      const laboratory::Played& played, absl::Span<const std::string> node_names,
                      absl::TimeZone zone);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_SACCT_HISTORY_H_
