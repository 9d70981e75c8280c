#include "server/api/queue/lease_jobs.h"

#include <string>
#include <vector>

#include "priority/v1/administration.pb.h"
#include "server/administration/changes/configuration_change.h"
#include "server/administration/leases/lease_change.h"
#include "server/api/queue/convert_queue.h"
#include "server/api/queue/update_jobs.h"
#include "server/api/shared/administration_call.h"
#include "server/api/shared/convert_change.h"
#include "server/api/shared/lease_term.h"
#include "server/authorization/rights_table.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::JobNice;

constexpr absl::Duration kCheckPatience = absl::Seconds(2);

bool IsAccepted(const queue::UpdateResult& result) {
  return result.outcome == queue::UpdateOutcome::kUpserted ||
         result.outcome == queue::UpdateOutcome::kUnchanged;
}

// An operator may set another value later; a lease of the present one by the user would stay.
bool MayLease(const queue::JobRights& rights, int64_t nice) {
  return !rights.user.has_value() || nice >= 0;
}

// Notes the results in the response; returns the jobs that would be changed.
std::vector<JobNice> TakeAccepted(const UpsertBatch& upserts, const queue::JobRights& rights,
                                  const std::vector<queue::UpdateResult>& results,
                                  const v1::UpdateJobsRequest& request,
                                  v1::UpdateJobsResponse* response) {
  std::vector<JobNice> accepted;
  for (int i = 0; i < request.upserts_size(); ++i) {
    queue::UpdateResult result = results[i];
    if (IsAccepted(result) && !MayLease(rights, upserts.jobs()[i].job.nice)) {
      result = {.outcome = queue::UpdateOutcome::kRefused,
                .reason = "AccessDenied",
                .field = "nice",
                .message =
                    "nice: got a negative value until a time, which only an operator or a "
                    "frontend may set"};
    }
    if (IsAccepted(result)) {
      accepted.push_back({request.upserts(i).job_id(), upserts.jobs()[i].job.nice});
      result.outcome = queue::UpdateOutcome::kUpserted;
    }
    v1::JobUpdateResult* proto = response->add_upserts();
    proto->set_job_id(request.upserts(i).job_id());
    ToProto(result, proto);
  }
  return accepted;
}

administration::ChangeFrame FrameFor(const Caller& caller, const priority::Snapshot& snapshot,
                                     absl::Time now, absl::Time real_time) {
  administration::ChangeFrame frame;
  frame.cluster = snapshot.cluster().name;
  frame.action = std::string(authorization::NameOf(authorization::Rpc::kUpdateJobs));
  frame.context = {.principal = caller.ToString(), .now = real_time};
  frame.time = now;
  frame.zone = snapshot.policy().time_zone;
  frame.share = LeaseShareOf(caller);
  frame.is_service = IsService(caller);
  return frame;
}

// In one transaction.
absl::Status Create(storage::Database& database, const administration::ChangeFrame& frame,
                    const LeasePeriod& period, const std::vector<JobNice>& jobs,
                    v1::UpdateJobsResponse* response) {
  const administration::LeaseAuthor author = {.principal = frame.context.principal,
                                              .share = frame.share,
                                              .comment = frame.comment,
                                              .time = frame.time,
                                              .zone = frame.zone};
  const auto created =
      MakeChange(database, frame, administration::Reach::kTree,
                 [&](storage::Transaction& transaction, const storage::Cluster& cluster,
                     administration::ChangeList* list) {
                   return administration::CreateJobLeases(transaction, cluster.id, period.begin,
                                                          period.end, jobs, author, list);
                 });
  if (!created.ok()) return created.status();
  v1::ChangeResponse change;
  ToProto(*created, &change);
  response->mutable_leases()->Swap(change.mutable_changes());
  return absl::OkStatus();
}

}  // namespace

absl::Status LeaseJobs(queue::TrackedQueues& queues, storage::Database& database,
                       const Caller& caller, const JobSource& source,
                       const priority::Snapshot& snapshot, const configuration::AliasMap& aliases,
                       const v1::UpdateJobsRequest& request, absl::Time now, absl::Time real_time,
                       v1::UpdateJobsResponse* response) {
  const auto period =
      ReadLeasePeriod(request.from(), request.until(), now, snapshot.policy().time_zone);
  if (!period.ok()) return period.status();
  const absl::string_view name(source.name.data(), source.name.size());
  const UpsertBatch upserts(request, name, aliases);
  const queue::QueueRequest check = {.source = name,
                                     .upserts = upserts.jobs(),
                                     .fields = FieldsOf(request),
                                     .rights = JobRightsOf(caller, source, snapshot.tree()),
                                     .checks_only = true};
  const auto answer = queues.Update(request.cluster(), check, now, kCheckPatience);
  if (!answer.ok()) return answer.status();
  const std::vector<JobNice> jobs =
      TakeAccepted(upserts, check.rights, answer->upserts, request, response);
  if (jobs.empty()) return absl::OkStatus();
  return Create(database, FrameFor(caller, snapshot, now, real_time), *period, jobs, response);
}

}  // namespace priorityd::rpc
