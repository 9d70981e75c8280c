#include "client/prioctl/replay/policy_text.h"

#include <utility>

#include "engine/priority/site/scheduling.h"
#include "engine/scheduling/plan_options.h"
#include "engine/slurm/conf/slurm_conf.h"

namespace priorityd::replay {
namespace {

plan::PlanOptions ToPlanOptions(const priority::Scheduling& policy, const PlanningGiven& given) {
  plan::PlanOptions options = scheduling::PlanOptionsOf(policy);
  if (given.backfill.has_value()) options.backfill = *given.backfill;
  if (given.max_job_test.has_value()) options.max_job_test = static_cast<int>(*given.max_job_test);
  options.window = given.window.value_or(options.window);
  return options;
}

std::string WithoutFolders(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

absl::StatusOr<Trial> ReadTrial(absl::Span<const slurm::SourceFile> files,
                                const PlanningGiven& given, absl::Time from,
                                std::vector<std::string>* notes) {
  absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseSlurmConf(files);
  if (!conf.ok()) return conf.status();
  for (const auto* texts : {&conf->losses, &conf->warnings}) {
    notes->insert(notes->end(), texts->begin(), texts->end());
  }
  const plan::PlanOptions plan = ToPlanOptions(conf->policy.scheduling, given);
  return Trial{.name = WithoutFolders(files[0].name),
               .options = {.policy = std::move(conf->policy), .plan = plan, .from = from}};
}

Trial FifoTrial(const PlanningGiven& given, absl::Time from) {
  Trial trial{.name = "fifo", .options = {.plan = ToPlanOptions({}, given), .from = from}};
  trial.options.policy.priority_type = priority::PriorityType::kBasic;
  return trial;
}

}  // namespace priorityd::replay
