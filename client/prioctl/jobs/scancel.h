// `prioctl scancel`: cancels pending jobs, as Slurm's scancel does.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_SCANCEL_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_SCANCEL_H_

#include <istream>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/priority_client.h"

namespace priorityd::jobs {

// By scancel's options. A job is cancelled if it is named (or none is) and passes every filter.
struct ScancelOptions {
  std::vector<std::string> jobs;        // `7`, `12_4`, `12_[1-3]`
  std::vector<std::string> users;       // -u, --me
  std::vector<std::string> accounts;    // -A
  std::vector<std::string> partitions;  // -p
  std::vector<std::string> qos;         // -q
  std::vector<std::string> states;      // -t
  std::vector<std::string> names;       // -n
  std::string reservation;              // -R; empty = any
  std::string signal;                   // -s; refused
  std::string on_behalf_of;             // Empty = nobody.
  bool interactive = false;             // -i
  bool verbose = false;                 // -v
  bool quiet = false;                   // -Q: a job that does not exist is no error
};

// Removes pending jobs from the tracked queue, and named tasks from arrays. A running job is not
// cancelled: its frontend does that. Each job that cannot be cancelled is a line in `err` and sets
// `exit_code` to 1; the others are cancelled. Reads answers from `in` if `interactive`.
// INVALID_ARGUMENT, before anything is asked, without a job and a filter, for a signal, and for
// words that are neither ids nor states.
absl::Status Scancel(const ScancelOptions& options, const client::PriorityClient& client,
                     std::istream& in, std::ostream& out, std::ostream& err, int* exit_code);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_SCANCEL_H_
