// Variants of a job before its submission that start earlier.
#ifndef PRIORITYD_CLIENT_PRIOCTL_FORECAST_VARIANTS_H_
#define PRIORITYD_CLIENT_PRIOCTL_FORECAST_VARIANTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {

// `job.job_id` is its text: `--time 02:00:00`; that of the job itself is `as asked`.
struct Variant {
  ::priority::v1::Job job;
  bool is_named = false;  // Its partition was named by the caller.
  int changed_names = 0;  // Of partition and QOS.
};

struct Refusal {
  std::string what;     // As Variant's job_id.
  std::string message;  // The reason that it could not start, as a sentence.
  std::string reason;   // The same as Slurm's word.
};

struct Variants {
  // The job itself first, then those that could start; as many as one ForecastStarts takes.
  std::vector<Variant> all;
  // Of the job itself and of named partitions.
  std::vector<Refusal> refused;
};

// The job with shorter time limits, fewer CPUs, in each of `partitions` (the first is the job's
// own), and in the other partitions and QOS that its user may use, in the start order of these. The
// service ranks each of them alone: access lists and limits of size, time and budgets leave out
// those that could not start. A caller who may not list partitions, or rank, gets the others.
absl::StatusOr<Variants> FindVariants(const ::priority::v1::Job& job,
                                      absl::Span<const std::string> partitions,
                                      const client::PriorityClient& client);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_FORECAST_VARIANTS_H_
