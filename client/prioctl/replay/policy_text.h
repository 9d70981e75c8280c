// A policy to be tried, of lines of slurm.conf.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_POLICY_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_POLICY_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/prioctl/replay/report.h"
#include "engine/plan/plan.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::replay {

// Options that override every policy.
struct PlanningGiven {
  std::optional<plan::Backfill> backfill;
  std::optional<uint32_t> max_job_test;
  std::optional<absl::Duration> window;
};

// The trial is called as the main file, without its folders. What it says of priorities and of the
// scheduler holds, and Slurm's defaults where it says nothing; nodes and partitions are skipped.
// Warnings of the readers go to `notes`. INVALID_ARGUMENT names file and line. REQUIRES: `files` is
// not empty.
absl::StatusOr<Trial> ReadTrial(absl::Span<const slurm::SourceFile> files,
                                const PlanningGiven& given, absl::Time from,
                                std::vector<std::string>* notes);

// Jobs in the order of submission, where no file has a policy.
Trial FifoTrial(const PlanningGiven& given, absl::Time from);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_POLICY_TEXT_H_
