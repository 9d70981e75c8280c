// A tracked queue changed at random beside the administration, and its jobs in a naive model.
#ifndef PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_QUEUE_H_
#define PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_QUEUE_H_

#include <google/protobuf/util/field_mask_util.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "server/queue/replication/tracked_queues.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/random_administration.h"

namespace priorityd::rpc {

// Jobs are sent to any of two replicas, and not recalculated: they are as old at the end as they
// were when they were submitted.
class RandomQueue : public RandomAdministration {
 protected:
  explicit RandomQueue(uint32_t seed)
      : RandomAdministration(seed), other_({.database_url = service_.database_url()}) {}

  TestService& AnyReplica() { return Below(2) == 0 ? service_ : other_; }

  v1::Job RandomJob(const std::string& id) {
    v1::Job job = JobOf(id, absl::StrCat("u", Below(8)));
    job.set_state(v1::JOB_STATE_PENDING);
    job.set_account(Any(model_.accounts)->first);
    if (!model_.users.empty() && Below(8) != 0) SetMembership(Any(model_.users)->first, &job);
    job.add_partitions(Any(model_.partitions)->first);
    job.add_qos(Below(3) == 0 ? Any(model_.qos)->first : "normal");
    job.set_nice(Below(1000) - 200);
    const int hold = Below(12);
    job.set_hold(hold > 2 ? v1::HOLD_UNSPECIFIED : hold == 0 ? v1::HOLD_ADMIN : v1::HOLD_USER);
    if (Below(4) == 0) job.set_admin_priority(Below(5000));
    if (Below(2) == 0) job.mutable_time_limit()->set_seconds(60 * (1 + Below(100)));
    job.set_name(absl::StrCat("name", Below(9)));
    return job;
  }

  // The account may be left out where it is the user's default.
  void SetMembership(const std::pair<std::string, std::string>& name, v1::Job* job) {
    job->set_user(name.second);
    job->set_account(name.first);
    if (model_.default_accounts[name.second] == name.first && Below(2) == 0) job->clear_account();
  }

  std::string AnyId() {
    if (jobs_.empty() || Below(8) == 0) return absl::StrCat(1 + Below(ids_ + 1));
    return Any(jobs_)->first;
  }

  v1::UpdateOutcome Tell(const v1::UpdateJobsRequest& request) {
    const v1::UpdateJobsResponse response = UpdateJobs(AnyReplica(), request);
    const auto& results = request.upserts().empty() ? response.removals() : response.upserts();
    EXPECT_EQ(results.size(), 1) << request.ShortDebugString();
    return results.empty() ? v1::UPDATE_OUTCOME_UNSPECIFIED : results[0].outcome();
  }

  // A job that is held from the beginning has no age.
  void SubmitAny() {
    v1::Job job = RandomJob(absl::StrCat(++ids_));
    job.clear_hold();
    job.clear_admin_priority();
    *job.mutable_submit_time() = ToTimestamp(Hour(-Below(60)));
    EXPECT_EQ(Tell(Upserts({job})), v1::UPDATE_OUTCOME_UPSERTED);
    jobs_[job.job_id()] = job;
  }

  // `from`'s, and nothing else: protobuf's own reading of a field mask.
  static v1::Job OnlyFields(const google::protobuf::FieldMask& mask, v1::Job from) {
    google::protobuf::util::FieldMaskUtil::TrimMessage(mask, &from);
    return from;
  }

  void ChangeAny() {
    static constexpr std::array kFields = {"user", "account", "partitions",     "qos",       "nice",
                                           "hold", "name",    "admin_priority", "time_limit"};
    const v1::Job told = RandomJob(AnyId());
    v1::UpdateJobsRequest request = Upserts({told});
    std::set<std::string> names;
    for (int i = Below(3); i >= 0; --i) names.insert(kFields[Below(kFields.size())]);
    for (const std::string& name : names) request.mutable_update_mask()->add_paths(name);
    const auto known = jobs_.find(told.job_id());
    if (known == jobs_.end()) {
      EXPECT_EQ(Tell(request), v1::UPDATE_OUTCOME_NOT_FOUND);
      return;
    }
    v1::Job wanted = known->second;
    for (const std::string& name : names) {
      wanted.GetReflection()->ClearField(&wanted, v1::Job::descriptor()->FindFieldByName(name));
    }
    wanted.MergeFrom(OnlyFields(request.update_mask(), told));
    const bool is_same = wanted.SerializeAsString() == known->second.SerializeAsString();
    EXPECT_EQ(Tell(request), is_same ? v1::UPDATE_OUTCOME_UNCHANGED : v1::UPDATE_OUTCOME_UPSERTED)
        << request.ShortDebugString();
    known->second = wanted;
  }

  void StartOrEndAny() {
    if (jobs_.empty()) return;
    const auto job = Any(jobs_);
    v1::Job told = JobOf(job->first);
    const bool starts = Below(2) == 0 && job->second.state() == v1::JOB_STATE_PENDING;
    told.set_state(starts ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_COMPLETED);
    v1::UpdateJobsRequest request = Upserts({told});
    request.mutable_update_mask()->add_paths("state");
    EXPECT_EQ(Tell(request), v1::UPDATE_OUTCOME_UPSERTED);
    if (starts) {
      job->second.set_state(told.state());
    } else {
      jobs_.erase(job);
    }
  }

  void RemoveAny() {
    const std::string id = AnyId();
    const bool is_there = jobs_.erase(id) > 0;
    const v1::UpdateOutcome outcome = Tell(Removal(id));
    if (is_there) {
      EXPECT_EQ(outcome, v1::UPDATE_OUTCOME_REMOVED);
    }
  }

  void ChangeAnyJob() {
    switch (Below(8)) {
      case 0:
      case 1:
      case 2:
        return SubmitAny();
      case 3:
        return Below(2) == 0 ? StartOrEndAny() : RemoveAny();
      default:
        return ChangeAny();
    }
  }

  std::string AccountOf(const v1::Job& job) const {
    if (!job.account().empty()) return job.account();
    const auto found = model_.default_accounts.find(job.user());
    return found == model_.default_accounts.end() ? "" : found->second;
  }

  template <typename Map>
  static double Share(const Map& map, const std::string& name) {
    int most = 0;
    for (const auto& [key, value] : map) most = std::max(most, value);
    return most == 0 ? 0 : 1.0 * map.at(name) / most;
  }

  // What it is before it is cut to a whole number; nullopt = the job cannot start.
  std::optional<double> PriorityInModel(const v1::Job& job) const {
    const std::string& qos = job.qos(0);
    const std::string& partition = job.partitions(0);
    if (job.hold() != v1::HOLD_UNSPECIFIED || !model_.partitions.contains(partition) ||
        !model_.Allows(AccountOf(job), job.user(), qos)) {
      return std::nullopt;
    }
    if (job.has_admin_priority()) {
      return job.admin_priority() == 0 ? std::nullopt : std::optional(1.0 * job.admin_priority());
    }
    const double age = absl::ToUnixSeconds(Hour(0)) - job.submit_time().seconds();
    const double sum = model_.weights.back() * std::min(age / (2 * 86400), 1.0) +
                       1000 * Share(model_.qos, qos) + 1000 * Share(model_.partitions, partition) -
                       static_cast<double>(job.nice());
    return std::max(sum, 1.0);
  }

  TestService other_;
  std::map<std::string, v1::Job> jobs_;  // By id; as they were sent, with their submit_time.

 private:
  int ids_ = 0;
};

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_SERVER_SERVICE_RANDOM_QUEUE_H_
