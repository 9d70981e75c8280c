#include <optional>
#include <string>

#include "server/queue/state/dependency.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::queue {
namespace {

// Nobody has heard of any job.
class NoJobs : public DependencyJobs {
 public:
  std::optional<TrackedJob> Find(absl::string_view) override { return std::nullopt; }
  void ForEachTask(absl::string_view, absl::FunctionRef<void(const TrackedJob&)>) override {}
  bool IsAlone(const TrackedJob&) override { return false; }
};

void RunOne(const std::string& text) {
  const auto dependency = ParseDependency(text);
  if (!dependency.ok()) return;
  slurm::Check(!dependency->terms.empty(), "there is something to wait for");
  for (const DependencyTerm& term : dependency->terms) {
    const bool singleton = term.type == DependencyType::kSingleton;
    slurm::Check(term.job_ids.empty() == singleton, "all but singleton name jobs");
    for (const absl::string_view id : term.job_ids) slurm::Check(!id.empty(), "jobs have ids");
  }
  NoJobs jobs;
  JobProgress progress(jobs);
  const Standing standing = Evaluate(*dependency, TrackedJob(), absl::UnixEpoch(), progress);
  slurm::Check(standing.state == DependencyState::kUnmet, "unknown jobs are waited for");
}

[[maybe_unused]] const bool registered = fuzz::Register({"dependency", RunOne});

}  // namespace
}  // namespace priorityd::queue
