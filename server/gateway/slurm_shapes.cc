#include "server/gateway/slurm_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/words/array_task_ids.h"

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;

using Amounts = google::protobuf::Map<std::string, double>;

constexpr char kLicense[] = "license/";

// By name.
std::map<std::string, double> Sorted(const Amounts& amounts) {
  return {amounts.begin(), amounts.end()};
}

int64_t Whole(double amount) { return numbers::WholePart(std::nearbyint(std::max(amount, 0.0))); }

// --- Shares -------------------------------------------------------------------------------------

Json WholeAmounts(const Amounts& amounts, double times) {
  Json list = Json::array();
  for (const auto& [name, amount] : Sorted(amounts)) {
    list.push_back({{"name", name}, {"value", SetNumber(Whole(amount * times))}});
  }
  return list;
}

Json ExactAmounts(const Amounts& amounts) {
  Json list = Json::array();
  for (const auto& [name, amount] : Sorted(amounts)) {
    list.push_back({{"name", name}, {"value", amount}});
  }
  return list;
}

// A number that older versions always contain: in these, unset is 0 and infinite is the largest
// finite number.
Json ShareNumber(int version, bool is_set, bool is_infinite, double number) {
  if (version >= kVersionOfUnsetShares) {
    return is_infinite ? InfiniteNumber() : is_set ? SetNumber(number) : UnsetNumber();
  }
  return is_infinite ? std::numeric_limits<double>::max() : is_set ? number : 0.0;
}

Json FairShareShape(int version, const v1::AssociationShare& share) {
  return {{"factor", ShareNumber(version, share.has_fair_share(), false, share.fair_share())},
          {"level", ShareNumber(version, share.has_level_fs(), share.level_fs_infinite(),
                                share.level_fs())}};
}

// --- Jobs ---------------------------------------------------------------------------------------

std::string StateName(v1::JobState state) {
  if (state == v1::JOB_STATE_UNSPECIFIED) return "PENDING";
  return std::string(absl::StripPrefix(v1::JobState_Name(state), "JOB_STATE_"));
}

// The leading number of an id: 17 for `17_3`.
uint32_t NumberOf(const std::string& id) {
  uint32_t number = 0;
  const size_t end = std::min(id.find_first_not_of("0123456789"), id.size());
  return absl::SimpleAtoi(id.substr(0, end), &number) ? number : 0;
}

template <typename Message>
Json TimeShape(bool is_set, const Message& time) {
  return is_set ? SetNumber(time.seconds()) : UnsetNumber();
}

double CpusOf(const v1::Job& job) {
  const auto cpu = job.tres().find("cpu");
  return job.cpus() > 0 || cpu == job.tres().end() ? job.cpus() : cpu->second;
}

uint32_t NodesOf(const v1::Job& job) { return std::max(job.nodes(), 1u); }

// `cpu=4,mem=2G,node=1`.
std::string TresTextOf(const v1::Job& job) {
  priority::TresMap tres(job.tres().begin(), job.tres().end());
  if (CpusOf(job) > 0) tres["cpu"] = std::ceil(CpusOf(job));
  tres["node"] = NodesOf(job);
  return slurm::TresText(tres);
}

// `matlab:2,fluent:1`.
std::string LicensesOf(const v1::Job& job) {
  std::vector<std::string> licenses;
  for (const auto& [name, count] : Sorted(job.tres())) {
    absl::string_view license = name;
    if (!absl::ConsumePrefix(&license, kLicense)) continue;
    licenses.push_back(absl::StrCat(license, ":", Whole(count)));
  }
  return absl::StrJoin(licenses, ",");
}

bool IsHeld(const v1::Job& job) {
  return job.hold() != v1::HOLD_UNSPECIFIED ||
         (job.has_admin_priority() && job.admin_priority() == 0);
}

void AddArray(const v1::Job& job, Json* shape) {
  const bool is_array = !job.array_task_ids().empty();
  const std::string& array = is_array ? job.job_id() : job.array_job_id();
  (*shape)["array_job_id"] = SetNumber(NumberOf(array));
  (*shape)["array_task_id"] =
      job.has_array_task_id() ? SetNumber(job.array_task_id()) : UnsetNumber();
  (*shape)["array_max_tasks"] =
      SetNumber(is_array ? slurm::ArrayTaskLimit(job.array_task_ids()).value_or(0) : 0);
  (*shape)["array_task_string"] = job.array_task_ids().substr(0, job.array_task_ids().find('%'));
}

void AddTimes(const v1::Job& job, Json* shape) {
  const bool ends = job.has_start_time() && job.has_time_limit();
  const bool has_ended = job.state() > v1::JOB_STATE_SUSPENDED;
  (*shape)["accrue_time"] = TimeShape(job.has_accrue_time(), job.accrue_time());
  (*shape)["eligible_time"] = TimeShape(job.has_eligible_time(), job.eligible_time());
  (*shape)["end_time"] = has_ended ? TimeShape(job.has_end_time(), job.end_time())
                         : ends ? SetNumber(job.start_time().seconds() + job.time_limit().seconds())
                                : UnsetNumber();
  (*shape)["start_time"] = TimeShape(job.has_start_time(), job.start_time());
  (*shape)["submit_time"] = TimeShape(job.has_submit_time(), job.submit_time());
  (*shape)["time_limit"] =
      job.has_time_limit() ? SetNumber((job.time_limit().seconds() + 59) / 60) : UnsetNumber();
  for (const char* unknown : {"deadline", "preempt_time", "suspend_time"}) {
    (*shape)[unknown] = UnsetNumber();
  }
}

void AddResources(const v1::Job& job, Json* shape) {
  const std::string tres = TresTextOf(job);
  const bool runs = StateName(job.state()) != StateName(v1::JOB_STATE_PENDING);
  (*shape)["cpus"] = SetNumber(Whole(std::ceil(CpusOf(job))));
  (*shape)["node_count"] = SetNumber(NodesOf(job));
  (*shape)["licenses"] = LicensesOf(job);
  (*shape)["tres_req_str"] = tres;
  (*shape)["tres_alloc_str"] = runs ? tres : "";
}

}  // namespace

Json SetNumber(const Json& number) {
  return {{"set", true}, {"infinite", false}, {"number", number}};
}

Json UnsetNumber() { return {{"set", false}, {"infinite", false}, {"number", 0}}; }

Json InfiniteNumber() { return {{"set", false}, {"infinite", true}, {"number", 0}}; }

Json ShareShape(int version, const std::string& cluster, const v1::AssociationShare& share) {
  const bool is_user = !share.user().empty();
  return {{"id", share.association_id()},
          {"cluster", cluster},
          {"name", is_user ? share.user() : share.account()},
          {"parent", is_user ? share.account() : share.parent_account()},
          {"partition", share.partition()},
          {"shares_normalized", SetNumber(share.norm_shares())},
          {"shares", SetNumber(share.parent_shares() ? kParentShares : share.raw_shares())},
          {"tres",
           {{"run_seconds", WholeAmounts(share.tres_run_mins(), 60)},
            {"group_minutes", WholeAmounts(share.grp_tres_mins(), 1)},
            {"usage", ExactAmounts(share.tres_usage())}}},
          {"effective_usage", ShareNumber(version, true, false, share.effective_usage())},
          {"usage_normalized", SetNumber(share.norm_usage())},
          {"usage", numbers::WholePart(share.raw_usage())},
          {"fairshare", FairShareShape(version, share)},
          {"type", Json::array({is_user ? "USER" : "ASSOCIATION"})}};
}

Json JobShape(const std::string& cluster, const v1::TrackedJob& tracked) {
  const v1::Job& job = tracked.job();
  const uint32_t number = NumberOf(job.job_id());
  Json shape = {
      {"account", tracked.account()},
      {"cluster", cluster},
      {"dependency", tracked.unmet_dependency()},
      {"extra", number == 0 ? job.job_id() : ""},
      {"flags", Json::array()},
      {"hold", IsHeld(job)},
      {"job_id", number},
      {"job_state", Json::array({StateName(job.state())})},
      {"name", job.name()},
      {"nice", job.nice()},
      {"nodes", job.node_list()},
      {"partition", absl::StrJoin(tracked.partitions(), ",")},
      {"priority", tracked.has_priority() ? SetNumber(tracked.priority()) : UnsetNumber()},
      {"qos", absl::StrJoin(tracked.qos(), ",")},
      {"resv_name", job.reservation()},
      {"state_reason", tracked.reason().empty() ? "None" : tracked.reason()},
      {"state_description", tracked.reason_text()},
      {"user_name", job.user()}};
  AddArray(job, &shape);
  AddTimes(job, &shape);
  AddResources(job, &shape);
  for (const char* unknown :
       {"admin_comment", "batch_host", "command", "comment", "current_working_directory",
        "excluded_nodes", "features", "group_name", "required_nodes", "standard_error",
        "standard_input", "standard_output", "system_comment", "wckey"}) {
    shape[unknown] = "";
  }
  return shape;
}

}  // namespace priorityd::gateway
