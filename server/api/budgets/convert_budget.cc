#include "server/api/budgets/convert_budget.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "server/api/explanation/convert_explanation.h"
#include "server/messages/convert_time.h"
#include "server/usage/usage_report.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr const char* kSlurmTres[] = {"cpu",     "mem",     "energy", "node",
                                      "billing", "fs/disk", "vmem",   "pages"};

bool LimitsAllTogether(const priority::LimitRule& rule) {
  return rule.scope == priority::LimitScope::kGroup && !rule.qos_name.empty();
}

// As Slurm counts them: times in minutes.
void FillLimits(const priority::Qos& qos, v1::QosUsage* proto) {
  proto->mutable_grp_tres_mins()->insert(qos.grp_tres_mins.begin(), qos.grp_tres_mins.end());
  if (qos.grp_wall.has_value()) ToProto(*qos.grp_wall, proto->mutable_grp_wall());
  for (const priority::LimitValue& limit : qos.other_limits) {
    const priority::LimitRule& rule = priority::RuleOf(limit.kind);
    if (!LimitsAllTogether(rule)) continue;
    const std::string name(rule.qos_name);
    (*proto->mutable_other_limits())[limit.tres.empty() ? name
                                                        : absl::StrCat(name, "=", limit.tres)] =
        limit.value;
  }
}

void FillShares(const priority::Snapshot& snapshot, const budgets::JobCost& cost,
                v1::JobCost* proto) {
  for (const budgets::BudgetPart& part : cost.budgets) {
    v1::BudgetPart* added = proto->add_budgets();
    ToProto(snapshot, part.budget, part.run, added->mutable_budget());
    added->set_job_minutes(part.job / 60);
    if (part.budget.limit > 0) added->set_part(part.job / part.budget.limit);
    added->set_left_after_minutes(part.left_after() / 60);
  }
  proto->set_fair_share(cost.fair_share);
  proto->set_fair_share_after(cost.fair_share_after);
  if (cost.level_fs.has_value()) proto->set_level_fs(*cost.level_fs);
  if (cost.level_fs_after.has_value()) proto->set_level_fs_after(*cost.level_fs_after);
}

}  // namespace

std::vector<std::string> TresNames(const priority::Snapshot& snapshot) {
  std::set<std::string> others;
  for (const auto& [name, count] : usage::ClusterTres(snapshot)) others.insert(name);
  for (const auto& [name, column] : snapshot.tres_usage()) others.insert(name);
  for (const priority::Partition& partition : snapshot.partitions()) {
    for (const auto& [name, count] : partition.tres) others.insert(name);
  }
  std::vector<std::string> names(std::begin(kSlurmTres), std::end(kSlurmTres));
  for (const std::string& name : names) others.erase(name);
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

void ToMinutes(const priority::TresMap& seconds,
               google::protobuf::Map<std::string, double>* minutes) {
  for (const auto& [name, amount] : seconds) {
    if (amount != 0) (*minutes)[name] = amount / 60;
  }
}

void ToProto(const priority::Snapshot& snapshot, const budgets::Budget& budget, double run,
             v1::Budget* proto) {
  if (budget.of_qos()) {
    proto->set_qos(snapshot.qos()[budget.qos].name);
  } else {
    const priority::AssociationTree& tree = snapshot.tree();
    proto->set_account(std::string(tree.account(budget.association)));
    proto->set_user(std::string(tree.user(budget.association)));
    proto->set_partition(std::string(tree.partition(budget.association)));
  }
  proto->set_tres(budget.tres);
  proto->set_limit_minutes(budget.limit / 60);
  proto->set_used_minutes(budget.used / 60);
  proto->set_run_minutes(run / 60);
  proto->set_left_minutes(budget.left() / 60);
}

void ToProto(const priority::Snapshot& snapshot, int qos, const budgets::JobSums& running,
             v1::QosUsage* proto) {
  const priority::Qos& row = snapshot.qos()[qos];
  proto->set_name(row.name);
  proto->set_usage_factor(row.usage_factor);
  if (!snapshot.qos_usage().empty()) {
    const priority::QosUsage& usage = snapshot.qos_usage()[qos];
    proto->set_raw_usage(usage.usage);
    for (const auto& [name, seconds] : usage.tres_seconds) {
      if (seconds != 0) (*proto->mutable_tres_usage())[name] = seconds;
    }
    if (usage.usage != 0) (*proto->mutable_tres_usage())["billing"] = usage.usage;
    ToProto(absl::Seconds(usage.wall_seconds), proto->mutable_wall_usage());
  }
  ToMinutes(running.run_seconds, proto->mutable_tres_run_mins());
  proto->mutable_tres_running()->insert(running.tres.begin(), running.tres.end());
  proto->set_running_jobs(static_cast<uint32_t>(running.running));
  proto->set_submitted_jobs(static_cast<uint32_t>(running.submitted));
  FillLimits(row, proto);
}

void ToProto(const priority::Snapshot& snapshot, const priority::Job& job,
             const budgets::JobCost& cost, bool with_shares, v1::JobCost* proto) {
  const priority::AssociationTree& tree = snapshot.tree();
  proto->set_job_id(std::string(job.job_id));
  proto->set_user(std::string(job.user));
  proto->set_account(std::string(tree.account(cost.association)));
  if (cost.partition >= 0) proto->set_partition(snapshot.partitions()[cost.partition].name);
  if (cost.qos >= 0) proto->set_qos(snapshot.qos()[cost.qos].name);
  ToProto(cost.rule, cost.terms, cost.billing, cost.usage_factor, proto->mutable_billing());
  if (cost.time_limit != absl::InfiniteDuration()) {
    ToProto(cost.time_limit, proto->mutable_time_limit());
  }
  proto->set_array_tasks(cost.tasks);
  proto->set_usage(cost.usage);
  ToMinutes(cost.tres_seconds, proto->mutable_tres_mins());
  if (with_shares) FillShares(snapshot, cost, proto);
  for (const std::string& sentence : budgets::SentencesOf(snapshot, cost, with_shares)) {
    proto->add_sentences(sentence);
  }
}

}  // namespace priorityd::rpc
