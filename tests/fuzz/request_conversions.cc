#include "tests/fuzz/request_conversions.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/time/time.h"
#include "engine/errors/bounds.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "server/administration/changes/user_change.h"
#include "server/administration/imports/site_files.h"
#include "server/administration/settings/partition_settings.h"
#include "server/administration/settings/qos_settings.h"
#include "server/administration/settings/reservation_settings.h"
#include "server/administration/tree/association_filter.h"
#include "server/administration/tree/association_plan.h"
#include "server/administration/tree/deletion_plan.h"
#include "server/administration/tree/tree_settings.h"
#include "server/api/administration/check_names.h"
#include "server/api/administration/convert_administration.h"
#include "server/api/explanation/explain_priority.h"
#include "server/api/plans/plan_starts.h"
#include "server/api/plans/suggest_preemption.h"
#include "server/api/queue/convert_queue.h"
#include "server/api/ranking/convert_watch.h"
#include "server/api/ranking/rank_jobs.h"
#include "server/api/shared/convert_change.h"
#include "server/api/usage/convert_report.h"
#include "server/api/usage/convert_usage.h"
#include "server/budgets/job_cost.h"
#include "server/usage/validation.h"
#include "tests/engine/priority/small_site.h"
#include "tests/server/administration/small_tree.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::SettingsOf;
using administration::TreePlan;
using administration::TreeSettings;
using administration::TreeState;
using slurm::Check;

// Of what an answer says of one job or record.
constexpr size_t kMaxAnswerBytes = 1024;

// What may be said of a request that is valid by itself.
void CheckAnswer(const absl::Status& status) {
  if (status.ok()) return;
  Check(!absl::IsInternal(status) && !absl::IsUnknown(status), "an error is the caller's");
  Check(!status.message().empty(), "an error says what is wrong");
  Check(slurm::IsValidUtf8(status.message()), "an error can be sent");
}

// --- Jobs ------------------------------------------------------------------------

const priority::Snapshot& Site() {
  static const auto* const snapshot = priority::SmallSite().Build().release();
  return *snapshot;
}

template <typename Request>
absl::Time AsOf(const Request& request) {
  return request.has_as_of() ? ToTime(request.as_of()) : priority::kNow;
}

void CheckJobs(const std::vector<priority::Job>& jobs) {
  for (const priority::Job& job : jobs) {
    Check(job.violation.size() < kMaxAnswerBytes, "a violation is short");
    if (!job.violation.empty()) continue;
    Check(!job.job_id.empty() && job.job_id.size() <= errors::kMaxTextBytes, "an id fits a key");
    Check(job.partitions.size() * job.qos.size() <= errors::kMaxPairsOfJob, "pairs are bounded");
    Check(job.tres.size() <= errors::kMaxTresNames, "TRES are bounded");
  }
}

// The jobs of a request for a plan, ranked as the server does.
class PlannedJobs {
 public:
  template <typename Request>
  explicit PlannedJobs(const Request& request)
      : inline_(request.jobs().jobs()),
        as_of_(AsOf(request)),
        ranking_(priorityd::priority::Rank(Site(), inline_.jobs(),
                                           {.as_of = as_of_, .best_only = false})) {
    CheckJobs(inline_.jobs());
  }

  scheduling::PlannedQueue queue() const { return {Site(), inline_.jobs(), ranking_, as_of_}; }

 private:
  const InlineQueue inline_;
  const absl::Time as_of_;
  const priority::Ranking ranking_;
};

// --- The tree --------------------------------------------------------------------

TreeState SmallTree() {
  using administration::RowOf;
  std::vector<storage::Association> rows = {
      RowOf(1, std::nullopt, "root"), RowOf(2, 1, "physics"),        RowOf(3, 1, "chemistry"),
      RowOf(4, 3, "organic"),         RowOf(5, 2, "physics", "ann"), RowOf(6, 2, "physics", "bob"),
      RowOf(7, 4, "organic", "cat"),  RowOf(8, 4, "organic", "ann"), RowOf(9, 4, "organic", "cat")};
  for (storage::Association& row : rows) row.raw_shares = row.id;
  rows[2].qos = {"normal", "high"};
  rows[2].grp_tres_mins = {{"cpu", 1000}};
  rows[3].default_qos = "high";
  rows[8].partition = "main";
  TreeState state;
  state.cluster_id = 1;
  state.tree = administration::TreeSlice(rows);
  state.users = {{"ann", {1, "ann", "physics", "", {"organic"}}},
                 {"bob", {1, "bob", "physics", "Operator", {}}},
                 {"cat", {1, "cat", "organic", "", {}}}};
  state.qos = {"normal", "high"};
  return state;
}

// An administrator, and a user who coordinates an account.
std::vector<administration::TreeRights> AllRights() {
  administration::TreeRights all;
  all.is_operator = all.is_administrator = true;
  administration::TreeRights some;
  some.user = "ann";
  some.coordinated = {"organic"};
  return {all, some};
}

void CheckPlan(const absl::StatusOr<TreePlan>& plan, const ChangeList& list) {
  CheckAnswer(plan.status());
  if (!plan.ok()) return;
  for (const administration::Change& change : list.changes()) {
    Check(!change.object.empty(), "a change is of something");
    Check(slurm::IsValidUtf8(change.before) && slurm::IsValidUtf8(change.after),
          "a change can be stored");
  }
  for (const storage::Association& row : plan->inserts) {
    Check(row.parent_id.has_value() && !row.account.empty(), "what is created stands somewhere");
  }
}

template <typename Request>
absl::StatusOr<TreeSettings> Settings(const Request& request, SettingsOf of) {
  auto read = administration::ReadSettings(ToSettings(request.settings()), of);
  CheckAnswer(read.status());
  return read;
}

// --- Files -----------------------------------------------------------------------

void ReadPolicy(const std::string& text) {
  const auto conf = slurm::ParseSlurmConf({{"slurm.conf", text}});
  slurm::CheckStatus(conf.status());
}

void CheckQos(const std::vector<administration::Setting>& settings) {
  storage::Qos qos;
  qos.id = 2;
  qos.name = "high";
  qos.preempt = {"normal"};
  bool resets = false;
  const absl::Status applied = administration::ApplySettings(settings, &qos, &resets);
  CheckAnswer(applied);
  if (!applied.ok()) return;
  Check(qos.priority >= 0 && qos.usage_factor >= 0, "a QOS is one that can be stored");
  administration::AttributesOf(qos);
  storage::Qos normal;
  normal.name = "normal";
  CheckAnswer(administration::CheckPreempt({normal, qos}, {"high"}));
}

}  // namespace

void Convert(const v1::RankJobsRequest& request) {
  if (!request.has_jobs()) return;
  CheckJobs(InlineQueue(request.jobs().jobs()).jobs());
  v1::RankJobsResponse response;
  const absl::Status ranked = RankInline({}, Site(), AsOf(request), request, &response);
  CheckAnswer(ranked);
  Check(response.ranked_size() <= static_cast<int>(response.ranked_total()), "all are counted");
}

void Convert(const v1::ExplainPriorityRequest& request) {
  if (!request.has_jobs()) return;
  v1::ExplainPriorityResponse response;
  CheckAnswer(ExplainInline({}, Site(), AsOf(request), request, &response));
}

void Convert(const v1::PlanStartsRequest& request) {
  const PlannedJobs jobs(request);
  v1::PlanStartsResponse response;
  const absl::Status planned =
      PlanStarts({}, jobs.queue(), request.description(), request, &response);
  CheckAnswer(planned);
  Check(!planned.ok() || response.starts_size() <= request.jobs().jobs_size(),
        "a job starts once at most");
}

void Convert(const v1::SuggestPreemptionRequest& request) {
  const PlannedJobs jobs(request);
  v1::SuggestPreemptionResponse response;
  CheckAnswer(SuggestPreemption(jobs.queue(), request.description(), request, &response));
}

void Convert(const v1::EstimateJobCostRequest& request) {
  const InlineQueue queue(request.jobs().jobs());
  CheckJobs(queue.jobs());
  for (priority::Job job : queue.jobs()) {
    job.state = priority::JobState::kPending;
    priority::Reason why = priority::Reason::kNone;
    const auto costs = budgets::CostsOf(Site(), job, budgets::RunningUsage(), &why);
    Check(!costs.empty() || why != priority::Reason::kNone,
          "a cost that there is not has a reason");
    for (const budgets::JobCost& cost : costs) {
      Check(cost.usage >= 0, "a cost is not negative");
      budgets::SentencesOf(Site(), cost, /*with_shares=*/true);
    }
  }
}

void Convert(const v1::WatchRankingRequest& request) { ToViewSpec(request, "c"); }

void Convert(const v1::SimulateRequest& request) {
  CheckJobs(InlineQueue(request.jobs().jobs()).jobs());
  ReadPolicy(request.policy_text());
}

void Convert(const v1::LintPolicyRequest& request) {
  CheckJobs(InlineQueue(request.jobs().jobs()).jobs());
  ReadPolicy(request.policy_text());
}

void Convert(const v1::RecordUsageRequest& request) {
  for (const usage::UsageSubmission& record : ToSubmissions(request)) {
    const std::optional<usage::Rejection> fault = usage::FindFault(record, {});
    if (fault.has_value()) {
      Check(fault->field.size() + fault->message.size() < kMaxAnswerBytes, "a fault is short");
    } else {
      Check(record.source.size() + record.record_id.size() <= 2 * errors::kMaxTextBytes,
            "a key fits an index");
    }
  }
}

void Convert(const v1::UpdateJobsRequest& request) {
  const UpsertBatch batch(request);
  for (const queue::TrackedJob& job : batch.jobs()) CheckJobs({job.job});
}

void Convert(const v1::ReportUsageRequest& request) {
  const auto query = QueryOf(request, "c", absl::UTCTimeZone());
  CheckAnswer(query.status());
  if (!query.ok()) return;
  for (size_t i = 1; i < query->edges.size(); ++i) {
    Check(query->edges[i - 1] < query->edges[i], "a bucket has a length");
  }
}

void Convert(const v1::ImportRequest& request) {
  std::vector<administration::SiteFile> files;
  for (const v1::File& file : request.files()) {
    const auto kind = static_cast<administration::FileKind>(static_cast<uint32_t>(file.kind()) % 5);
    files.push_back({{file.name(), file.content()}, kind});
  }
  CheckAnswer(administration::ReadSiteFiles(std::move(files), !request.cluster().empty()).status());
}

void Convert(const v1::ApplyPolicyRequest& request) { ReadPolicy(request.text()); }

void Convert(const v1::CreateAssociationsRequest& request) {
  const auto settings = Settings(request, SettingsOf::kNewAssociations);
  if (!settings.ok()) return;
  const administration::Creation creation = ToCreation(request);
  const TreeState state = SmallTree();
  std::vector<int64_t> ids;
  for (int64_t i = administration::CountNew(state.tree, creation); i > 0; --i) {
    ids.push_back(100 + static_cast<int64_t>(ids.size()));
  }
  for (const administration::TreeRights& rights : AllRights()) {
    ChangeList list;
    CheckPlan(PlanCreation(state, creation, *settings, rights, ids, &list), list);
  }
}

void Convert(const v1::UpdateAssociationsRequest& request) {
  const auto settings = Settings(request, SettingsOf::kAssociations);
  if (!settings.ok()) return;
  const TreeState state = SmallTree();
  if (!CheckQosNames(*settings, state.qos).ok()) return;
  const auto ids = Fitting(ToFilter(request.where()), state.tree, state.users);
  for (const administration::TreeRights& rights : AllRights()) {
    ChangeList list;
    CheckPlan(PlanUpdate(state, ids, *settings, rights, &list), list);
  }
}

void Convert(const v1::DeleteAssociationsRequest& request) {
  const TreeState state = SmallTree();
  const auto ids = Fitting(ToFilter(request.where()), state.tree, state.users);
  for (const administration::TreeRights& rights : AllRights()) {
    ChangeList list;
    CheckPlan(PlanDeletion(state, ids, rights, &list), list);
  }
}

void Convert(const v1::UpdateUsersRequest& request) {
  const auto settings = Settings(request, SettingsOf::kUsers);
  if (!settings.ok()) return;
  for (const administration::TreeRights& rights : AllRights()) {
    CheckAnswer(rights.CheckUsersMeant(ToFilter(request.where()).names));
    ChangeList list;
    CheckPlan(PlanUserUpdate(SmallTree(), *settings, rights, &list), list);
  }
}

void Convert(const v1::CreateQosRequest& request) { CheckQos(ToSettings(request.settings())); }
void Convert(const v1::UpdateQosRequest& request) { CheckQos(ToSettings(request.settings())); }

void Convert(const v1::UpdatePartitionsRequest& request) {
  storage::Partition present;
  present.name = "main";
  present.nodes = 4;
  present.allow_qos = {"normal"};
  auto changed = administration::ApplySettings(ToSettings(request.settings()), present);
  CheckAnswer(changed.status());
  if (!changed.ok() || !changed->nodes.has_value()) return;
  CheckAnswer(administration::SetNodes(*changed->nodes,
                                       {{"slurm.conf", "ClusterName=c\nNodeName=n[1-8] CPUs=4\n"}},
                                       &changed->partition));
}

void Convert(const v1::UpdateReservationsRequest& request) {
  const absl::Time now = absl::FromUnixSeconds(1'795'000'000);
  storage::Reservation present;
  present.name = "maint";
  for (const bool is_new : {true, false}) {
    const auto changed =
        administration::ApplySettings(ToSettings(request.settings()), present, now);
    CheckAnswer(changed.status());
    if (!is_new) continue;
    present = {.id = 1,
               .name = "maint",
               .start_time = now,
               .end_time = now + absl::Hours(1),
               .nodes = "n[1-4]",
               .users = {"amy"},
               .flags = {"MAINT"},
               .deleted_at = {}};
  }
}

}  // namespace priorityd::rpc
