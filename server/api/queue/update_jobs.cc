#include "server/api/queue/update_jobs.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/bounds.h"
#include "engine/errors/error_details.h"
#include "server/api/queue/convert_queue.h"
#include "server/queue/state/lease_text.h"
#include "server/queue/state/packed_job.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {

namespace v1 = ::priority::v1;

namespace {

// The pool runs the work again; meanwhile the thread serves others.
constexpr absl::Duration kLockPatience = absl::Milliseconds(50);

// The violation of a job's id; empty if there is none.
std::string IdViolation(const std::string& job_id) {
  if (job_id.size() > errors::kMaxTextBytes) {
    return absl::StrCat("job_id: got ", job_id.size(), " bytes, want at most ",
                        errors::kMaxTextBytes);
  }
  if (job_id.find('\0') == std::string::npos) return "";
  return "job_id: got a NUL character, want text without";
}

// The removals of a request with valid ids.
struct Removals {
  explicit Removals(const v1::UpdateJobsRequest& request) {
    job_ids.reserve(request.removals_size());
    for (const std::string& job_id : request.removals()) {
      violations.push_back(IdViolation(job_id));
      if (violations.back().empty()) job_ids.emplace_back(job_id);
    }
  }

  std::vector<absl::string_view> job_ids;
  std::vector<std::string> violations;  // By place in the request; empty = valid, in `job_ids`.
};

void AddResult(const std::string& job_id, const queue::UpdateResult& result,
               v1::JobUpdateResult* proto) {
  proto->set_job_id(job_id);
  ToProto(result, proto);
}

absl::flat_hash_set<std::string> MergedInto(const std::string& user,
                                            const priority::AssociationTree& tree) {
  absl::flat_hash_set<std::string> users;
  for (const auto& [from, into] : tree.merges()) {
    if (into == user) users.insert(from);
  }
  return users;
}

absl::Status CheckFullSync(const Caller& caller, const v1::UpdateJobsRequest& request) {
  if (!request.full_sync() || caller.speaks_for_all()) return absl::OkStatus();
  return errors::WithReason(
      absl::PermissionDeniedError(absl::StrCat("full_sync: got ", caller.ToString(),
                                               " with the role ", caller.roles.ToString(),
                                               ", want operator, administrator or frontend")),
      "ROLE_REQUIRED");
}

// Whether the request may end jobs that are charged by their ends.
bool MayCharge(const priority::Snapshot& snapshot, const UpsertBatch& upserts) {
  return snapshot.policy().usage_from_job_end &&
         absl::c_any_of(upserts.jobs(), [](const queue::TrackedJob& job) { return job.ended(); });
}

// Admits jobs refused by the snapshot's configuration but not by the stored one: they wait for the
// next recalculation. Queries the database only after such a refusal.
absl::Status TakeAdmitted(queue::TrackedQueues& queues, usage::UsageRecorder& recorder,
                          const priority::Snapshot& snapshot, const queue::QueueRequest& request,
                          absl::Time now, std::vector<queue::UpdateResult>* results) {
  std::shared_ptr<const usage::PriceBook> book;
  std::vector<queue::TrackedJob> jobs;
  std::vector<size_t> places;
  queue::QueueRequest again = {
      .source = request.source, .fields = request.fields, .rights = request.rights};
  for (size_t i = 0; i < results->size(); ++i) {
    const std::string& refused = (*results)[i].refused_by_snapshot;
    if (refused.empty()) continue;
    if (book == nullptr) {
      auto stored = recorder.StoredBook(snapshot.cluster().name);
      if (!stored.ok()) return stored.status();
      book = *std::move(stored);
    }
    if (!book->Admits(queue::UnpackJob(refused).job, snapshot)) continue;
    jobs.push_back(request.upserts[i]);
    places.push_back(i);
    again.admitted.insert(jobs.back().job.job_id);
  }
  if (jobs.empty()) return absl::OkStatus();
  again.upserts = jobs;
  auto answer = queues.Update(snapshot.cluster().name, again, now, kLockPatience);
  if (!answer.ok()) return answer.status();
  for (size_t i = 0; i < places.size(); ++i) (*results)[places[i]] = answer->upserts[i];
  return absl::OkStatus();
}

}  // namespace

queue::JobRights JobRightsOf(const Caller& caller, const JobSource& source,
                             const priority::AssociationTree& tree) {
  if (caller.speaks_for_all()) return {.sources = source.bound_to};
  return {.user = caller.user(),
          .merged_users = MergedInto(caller.user(), tree),
          .coordinated = WithAllBelow(caller.coordinated, tree),
          .jobs_are_private = !caller.sees().sees_all_jobs(),
          .sources = source.bound_to};
}

absl::Status UpdateJobs(queue::TrackedQueues& queues, usage::UsageRecorder& recorder,
                        const Caller& caller, const JobSource& source,
                        const priority::Snapshot& snapshot, const configuration::AliasMap& aliases,
                        const v1::UpdateJobsRequest& request, absl::Time now,
                        v1::UpdateJobsResponse* response, bool* runs_changed) {
  if (absl::Status s = CheckFullSync(caller, request); !s.ok()) return s;
  const UpsertBatch upserts(request, {source.name.data(), source.name.size()}, aliases);
  const Removals removals(request);
  usage::JobEndCharge charge = recorder.ChargeEnds(RecorderOf(caller));
  const queue::QueueRequest update = {.source = {source.name.data(), source.name.size()},
                                      .removals = removals.job_ids,
                                      .upserts = upserts.jobs(),
                                      .full_sync = request.full_sync(),
                                      .fields = FieldsOf(request),
                                      .rights = JobRightsOf(caller, source, snapshot.tree()),
                                      .charge = MayCharge(snapshot, upserts) ? &charge : nullptr};
  auto answer = queues.Update(request.cluster(), update, now, kLockPatience);
  if (!answer.ok()) return answer.status();
  *runs_changed = answer->runs_changed;
  absl::Status taken = TakeAdmitted(queues, recorder, snapshot, update, now, &answer->upserts);
  if (!taken.ok()) return taken;
  const bool sets_nice = update.fields.Has("nice");
  for (int i = 0; i < request.upserts_size(); ++i) {
    v1::JobUpdateResult* result = response->add_upserts();
    AddResult(request.upserts(i).job_id(), answer->upserts[i], result);
    if (!sets_nice || result->outcome() != v1::UPDATE_OUTCOME_UPSERTED) continue;
    result->set_message(queue::LeaseSentence(snapshot, upserts.jobs()[i]));
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

absl::Status TopJobs(queue::TrackedQueues& queues, const Caller& caller, const JobSource& source,
                     const priority::AssociationTree& tree, const v1::TopJobsRequest& request,
                     absl::Time now, v1::TopJobsResponse* response) {
  const std::vector<absl::string_view> job_ids(request.job_ids().begin(), request.job_ids().end());
  const auto answer = queues.Update(
      request.cluster(), {.put_first = job_ids, .rights = JobRightsOf(caller, source, tree)}, now,
      kLockPatience);
  if (!answer.ok()) return answer.status();
  for (const queue::TopResult& top : answer->put_first) {
    AddResult(top.job_id, top.result, response->add_results());
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
