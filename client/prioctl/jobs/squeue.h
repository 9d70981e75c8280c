// `prioctl squeue`: the tracked queue as Slurm's squeue shows it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_SQUEUE_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_SQUEUE_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "priority/v1/plan.pb.h"

namespace priorityd::jobs {

// By squeue's options.
struct SqueueOptions {
  std::vector<std::string> users;       // -u
  bool me = false;                      // --me
  std::vector<std::string> accounts;    // -A
  std::vector<std::string> partitions;  // -p
  std::vector<std::string> qos;         // -q
  std::vector<std::string> states;      // -t
  std::vector<std::string> names;       // -n
  std::string jobs;                     // -j
  std::string format;                   // -o
  std::string long_format;              // -O
  std::string sort;                     // -S
  bool long_listing = false;            // -l
  bool by_task = false;                 // -r
  bool by_partition = false;            // -P
  bool start = false;                   // --start
  bool forecast = false;                // --forecast
  std::string nodes;                    // --nodes
  // The nodes that `nodes` describes; unset: the nodes of the policy.
  std::optional<::priority::v1::ClusterDescription> description;
  bool header = true;  // not -h
  bool json = false;
};

// `now`: of times that go on. To `err` what is no row: that they are old, that tasks of a large
// array are missing, or that no job has an ID of -j.
absl::Status Squeue(const SqueueOptions& options, const client::PriorityClient& client,
                    absl::Time now, std::ostream& out, std::ostream& err);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_SQUEUE_H_
