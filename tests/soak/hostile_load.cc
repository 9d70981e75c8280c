#include "tests/soak/hostile_load.h"

#include "absl/strings/str_cat.h"
#include "client/rpc_error.h"
#include "tests/soak/hostile_services.h"
#include "tests/soak/hostile_stranger.h"
#include "tests/soak/hostile_users.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

constexpr int kPage = 20;

// Those that an answer has of both kinds.
std::vector<v1::JobUpdateResult> ResultsOf(const v1::UpdateJobsResponse& response) {
  std::vector<v1::JobUpdateResult> results(response.upserts().begin(), response.upserts().end());
  results.insert(results.end(), response.removals().begin(), response.removals().end());
  return results;
}

}  // namespace

HostileLoad::HostileLoad(const std::string& caller, const LoadOptions& options,
                         absl::Duration pause)
    : Load(options, ConnectHostile(caller, *options.replicas), pause), caller_(caller) {}

void HostileLoad::Finish() {
  EXPECT_GT(refused_, 0) << caller_ << ": nothing that it tried was refused";
}

bool HostileLoad::Served(const char* what, const absl::Status& status) {
  if (status.ok()) return ++served_, true;
  if (absl::IsResourceExhausted(status)) return ++too_much_, false;
  ++lost_;
  EXPECT_TRUE(MayPass(status)) << caller_ << ", " << what << ": " << status;
  return false;
}

void HostileLoad::ExpectDenied(const char* what, const absl::Status& status, const char* reason) {
  if (!absl::IsPermissionDenied(status)) {
    EXPECT_FALSE(Served(what, status)) << caller_ << ", " << what << ": want PERMISSION_DENIED";
    return;
  }
  ++refused_;
  if (*reason != '\0') {
    EXPECT_EQ(client::Reason(status), reason) << caller_ << ", " << what << ": " << status;
  }
}

void HostileLoad::ExpectNothingDone(const char* what,
                                    const absl::StatusOr<v1::UpdateJobsResponse>& response) {
  if (!response.ok()) {
    Served(what, response.status());
    return;
  }
  for (const v1::JobUpdateResult& result : response->upserts()) {
    EXPECT_TRUE(result.outcome() == v1::UPDATE_OUTCOME_REFUSED ||
                result.outcome() == v1::UPDATE_OUTCOME_NOT_FOUND)
        << caller_ << ", " << what << ": " << result.ShortDebugString();
    if (result.outcome() == v1::UPDATE_OUTCOME_REFUSED) ++refused_;
  }
  for (const v1::JobUpdateResult& result : response->removals()) {
    // A job that has gone meanwhile is UNCHANGED by its removal.
    EXPECT_TRUE(result.outcome() == v1::UPDATE_OUTCOME_REFUSED ||
                result.outcome() == v1::UPDATE_OUTCOME_UNCHANGED)
        << caller_ << ", " << what << ": " << result.ShortDebugString();
    if (result.outcome() == v1::UPDATE_OUTCOME_REFUSED) ++refused_;
  }
  EXPECT_EQ(response->removed_by_sync(), 0) << caller_ << ", " << what;
}

void HostileLoad::ExpectDoneOr(const char* reason, const v1::UpdateJobsResponse& response) {
  for (const v1::JobUpdateResult& result : ResultsOf(response)) {
    if (result.outcome() != v1::UPDATE_OUTCOME_REFUSED) {
      EXPECT_NE(result.outcome(), v1::UPDATE_OUTCOME_INVALID) << result.ShortDebugString();
      continue;
    }
    ++refused_;
    EXPECT_EQ(result.reason(), reason) << caller_ << ": " << result.ShortDebugString();
  }
}

std::vector<v1::Job> HostileLoad::HonestJobs(const std::string& cluster) {
  v1::ListJobsRequest request;
  request.set_cluster(cluster);
  request.set_page_size(kPage);
  const auto listed = AnyClient().ListJobs(request);
  std::vector<v1::Job> jobs;
  if (!Served("ListJobs", listed.status())) return jobs;
  for (const v1::TrackedJob& job : listed->jobs()) jobs.push_back(job.job());
  return jobs;
}

void HostileLoad::StirHonestJobs() {
  v1::UpdateJobsRequest upserts, removals;
  v1::TopJobsRequest top;
  for (auto* request : {&upserts, &removals}) request->set_cluster(AnyHonestCluster());
  removals.set_cluster(upserts.cluster());
  top.set_cluster(upserts.cluster());
  for (const v1::Job& job : HonestJobs(upserts.cluster())) {
    // Upserts of fields alone make no job of one that has gone meanwhile.
    v1::Job* nice = upserts.add_upserts();
    nice->set_job_id(job.job_id());
    nice->set_nice(job.nice() + 1);
    removals.add_removals(job.job_id());
    top.add_job_ids(job.job_id());
  }
  if (top.job_ids().empty()) return;
  upserts.mutable_update_mask()->add_paths("nice");
  ExpectNothingDone("nice of others' jobs", AnyClient().UpdateJobs(upserts));
  ExpectNothingDone("removal of others' jobs", AnyClient().UpdateJobs(removals));
  const auto topped = AnyClient().TopJobs(top);
  if (!topped.ok()) {
    Served("TopJobs", topped.status());
    return;
  }
  v1::UpdateJobsResponse results;
  *results.mutable_upserts() = topped->results();
  ExpectNothingDone("others' jobs to the top", results);
}

v1::CreateAssociationsRequest HostileLoad::Addition(const std::string& cluster,
                                                    const std::string& account,
                                                    const std::string& user) {
  v1::CreateAssociationsRequest request;
  request.set_cluster(cluster);
  v1::NewAssociation* association = request.add_associations();
  association->set_account(account);
  association->set_user(user);
  request.set_allow_existing(true);
  return request;
}

v1::DeleteAssociationsRequest HostileLoad::Deletion(const std::string& cluster,
                                                    const std::string& account,
                                                    const std::string& user) {
  v1::DeleteAssociationsRequest request;
  request.set_cluster(cluster);
  request.mutable_where()->add_accounts(account);
  request.mutable_where()->add_users(user);
  return request;
}

void HostileLoad::ChangeHonestTree() {
  const std::string cluster = AnyHonestCluster();
  const auto addition = Addition(cluster, AccountName(0), caller());
  ExpectDenied("CreateAssociations", AnyClient().CreateAssociations(addition).status());
  const auto deletion = Deletion(cluster, AccountName(0), UserName(0));
  ExpectDenied("DeleteAssociations", AnyClient().DeleteAssociations(deletion).status());
}

std::string HostileLoad::Summary() const {
  return absl::StrCat("hostile ", caller_, ": ", served_, " served, ", refused_, " refused, ",
                      too_much_, " too much, ", lost_, " lost");
}

std::vector<std::unique_ptr<HostileLoad>> HostileLoads(const LoadOptions& options) {
  std::vector<std::unique_ptr<HostileLoad>> loads;
  LoadOptions next = options;
  const auto add = [&](auto load) { loads.push_back(std::move(load)); };
  const auto seeded = [&] {
    ++next.seed;
    return next;
  };
  add(std::make_unique<HostileStranger>(seeded()));
  add(std::make_unique<HostileUser>(seeded()));
  add(std::make_unique<HostileCoordinator>(seeded()));
  add(std::make_unique<HostileOperator>(seeded()));
  add(std::make_unique<HostileCollector>(seeded()));
  add(std::make_unique<HostileFrontend>(seeded()));
  add(std::make_unique<HostileDashboard>(seeded()));
  return loads;
}

}  // namespace priorityd::soak
