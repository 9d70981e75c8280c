#include "server/rpc/update_jobs.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "server/errors/bounds.h"
#include "server/errors/error_details.h"
#include "server/priority/job_resolution.h"
#include "server/rpc/convert_queue.h"
#include "server/rpc/viewer.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

namespace {

// Whoever calls tries again; meanwhile the thread is for others.
constexpr absl::Duration kLockPatience = absl::Milliseconds(50);

// What is wrong with the name of a job, empty if nothing is.
std::string IdViolation(const std::string& job_id) {
  if (job_id.size() > errors::kMaxTextBytes) {
    return absl::StrCat("job_id: got ", job_id.size(), " bytes, want at most ",
                        errors::kMaxTextBytes);
  }
  if (job_id.find('\0') == std::string::npos) return "";
  return "job_id: got a NUL character, want text without";
}

// The removals of a request that can be any job's.
struct Removals {
  explicit Removals(const v1::UpdateJobsRequest& request) {
    job_ids.reserve(request.removals_size());
    for (const std::string& job_id : request.removals()) {
      violations.push_back(IdViolation(job_id));
      if (violations.back().empty()) job_ids.emplace_back(job_id);
    }
  }

  std::vector<absl::string_view> job_ids;
  std::vector<std::string> violations;  // By place in the request; empty = it is in `job_ids`.
};

void AddResult(const std::string& job_id, const queue::UpdateResult& result,
               v1::JobUpdateResult* proto) {
  proto->set_job_id(job_id);
  ToProto(result, proto);
}

// A user speaks for herself, whoever else a request names.
queue::JobRights RightsOf(const Caller& caller, const priority::AssociationTree& tree) {
  if (caller.speaks_for_all()) return {};
  return {.user = caller.user(),
          .coordinated = WithAllBelow(caller.coordinated, tree),
          .jobs_are_private = !caller.sees().sees_all_jobs()};
}

absl::Status CheckFullSync(const Caller& caller, const v1::UpdateJobsRequest& request) {
  if (!request.full_sync() || caller.speaks_for_all()) return absl::OkStatus();
  return errors::WithReason(
      absl::PermissionDeniedError(absl::StrCat("full_sync: got ", caller.ToString(),
                                               " with the role ", caller.roles.ToString(),
                                               ", want operator, administrator or frontend")),
      "ROLE_REQUIRED");
}

// Whether the snapshot's configuration says who may submit what.
bool RefusesUnknown(const priority::Snapshot& snapshot) {
  const priority::Enforcement& enforce = snapshot.policy().enforce;
  return enforce.given && (enforce.associations || enforce.qos);
}

using JobIds = absl::flat_hash_set<absl::string_view>;

// See queue::Intake. Asks the database only if the snapshot does not know somebody.
absl::StatusOr<JobIds> FindAdmitted(usage::UsageRecorder& recorder,
                                    const priority::Snapshot& snapshot,
                                    const v1::UpdateJobsRequest& request,
                                    absl::Span<const queue::TrackedJob> upserts) {
  JobIds admitted;
  // What changes a part of a job, or is told of another queue, is not refused for these.
  if (!RefusesUnknown(snapshot) || request.has_update_mask() || request.full_sync()) {
    return admitted;
  }
  priority::JobResolver resolver(snapshot);
  std::shared_ptr<const usage::PriceBook> book;
  for (const queue::TrackedJob& job : upserts) {
    const priority::Reason reason = resolver.Resolve(job.job).reason;
    if (reason != priority::Reason::kInvalidAccount && reason != priority::Reason::kInvalidQos) {
      continue;
    }
    if (book == nullptr) {
      auto stored = recorder.StoredBook(snapshot.cluster().name);
      if (!stored.ok()) return stored.status();
      book = *std::move(stored);
    }
    if (book->Admits(job.job)) admitted.insert(job.job.job_id);
  }
  return admitted;
}

}  // namespace

absl::Status UpdateJobs(queue::TrackedQueues& queues, usage::UsageRecorder& recorder,
                        const Caller& caller, const priority::Snapshot& snapshot,
                        const v1::UpdateJobsRequest& request, absl::Time now,
                        v1::UpdateJobsResponse* response) {
  if (absl::Status s = CheckFullSync(caller, request); !s.ok()) return s;
  const UpsertBatch upserts(request);
  const Removals removals(request);
  auto admitted = FindAdmitted(recorder, snapshot, request, upserts.jobs());
  if (!admitted.ok()) return admitted.status();
  const auto answer = queues.Update(request.cluster(),
                                    {.source = request.source(),
                                     .removals = removals.job_ids,
                                     .upserts = upserts.jobs(),
                                     .full_sync = request.full_sync(),
                                     .fields = FieldsOf(request),
                                     .rights = RightsOf(caller, snapshot.tree()),
                                     .admitted = *std::move(admitted)},
                                    now, kLockPatience);
  if (!answer.ok()) return answer.status();
  for (int i = 0; i < request.upserts_size(); ++i) {
    AddResult(request.upserts(i).job_id(), answer->upserts[i], response->add_upserts());
  }
  size_t removed = 0;
  for (int i = 0; i < request.removals_size(); ++i) {
    const std::string& violation = removals.violations[i];
    AddResult(request.removals(i),
              violation.empty() ? answer->removals[removed++]
                                : queue::UpdateResult{queue::UpdateOutcome::kInvalid, "InvalidJob",
                                                      "job_id", violation},
              response->add_removals());
  }
  response->set_removed_by_sync(answer->removed_by_sync);
  return absl::OkStatus();
}

absl::Status TopJobs(queue::TrackedQueues& queues, const Caller& caller,
                     const priority::AssociationTree& tree, const v1::TopJobsRequest& request,
                     absl::Time now, v1::TopJobsResponse* response) {
  const std::vector<absl::string_view> job_ids(request.job_ids().begin(), request.job_ids().end());
  const auto answer =
      queues.Update(request.cluster(), {.put_first = job_ids, .rights = RightsOf(caller, tree)},
                    now, kLockPatience);
  if (!answer.ok()) return answer.status();
  for (const queue::TopResult& top : answer->put_first) {
    AddResult(top.job_id, top.result, response->add_results());
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
