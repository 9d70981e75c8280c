#include <string>

#include "server/queue/state/dependency.h"
#include "tests/fuzz/check.h"

namespace priorityd::queue {
namespace {

int RunOne(const uint8_t* data, size_t size) {
  const std::string text = slurm::FuzzText(data, size);
  const auto dependency = ParseDependency(text);
  if (!dependency.ok()) return 0;
  slurm::Check(!dependency->terms.empty(), "there is something to wait for");
  for (const DependencyTerm& term : dependency->terms) {
    const bool singleton = term.type == DependencyType::kSingleton;
    slurm::Check(term.job_ids.empty() == singleton, "all but singleton name jobs");
    for (const absl::string_view id : term.job_ids) slurm::Check(!id.empty(), "jobs have ids");
  }
  // Nobody has heard of any job.
  const DependencyState state = Evaluate(
      *dependency, [](absl::string_view) { return std::nullopt; }, [] { return false; });
  slurm::Check(state == DependencyState::kUnmet, "unknown jobs are waited for");
  return 0;
}

}  // namespace
}  // namespace priorityd::queue

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::queue::RunOne(data, size);
}
