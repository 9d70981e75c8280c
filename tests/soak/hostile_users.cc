#include "tests/soak/hostile_users.h"

#include <iterator>

#include "absl/strings/str_cat.h"
#include "client/rpc_error.h"
#include "priority/v1/priority_service.grpc.pb.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

constexpr absl::Duration kPauseOfUsers = absl::Milliseconds(500);
constexpr absl::Duration kPauseOfChanges = absl::Seconds(1);
constexpr int kJobsAtOnce = 200;
// More than there is room for.
constexpr int kMostJobs = 2 * kMaxTrackedJobs;
// What the service's --quota leaves a user of the tracked jobs of a cluster.
constexpr int kPartOfJobs = kMaxTrackedJobs / 10;
constexpr int kWatchesAtOnce = 10;
constexpr size_t kMostWatches = 150;
constexpr absl::Duration kLifeOfWatches = absl::Minutes(2);
constexpr uint32_t kAll = 100'000;
// The most of one; ten of them are a caller's part of the rows.
constexpr uint32_t kRowsOfWatch = 10'000;

v1::Job* AddJob(const std::string& job_id, const std::string& user,
                v1::UpdateJobsRequest* request) {
  request->set_cluster(kHostileCluster);
  v1::Job* job = request->add_upserts();
  job->set_job_id(job_id);
  job->set_user(user);
  job->set_account(kHostileAccount);
  return job;
}

v1::UpdateJobsRequest NiceOf(const std::string& job_id, int64_t nice) {
  v1::UpdateJobsRequest request;
  request.set_cluster(kHostileCluster);
  v1::Job* job = request.add_upserts();
  job->set_job_id(job_id);
  job->set_nice(nice);
  request.mutable_update_mask()->add_paths("nice");
  return request;
}

}  // namespace

struct HostileUser::Watch {
  grpc::ClientContext context;
  std::unique_ptr<grpc::ClientReader<v1::WatchRankingResponse>> stream;
};

HostileUser::HostileUser(const LoadOptions& options)
    : HostileLoad(kHostileUser, options, kPauseOfUsers) {}

HostileUser::~HostileUser() = default;

void HostileUser::Step() {
  static constexpr void (HostileUser::*kWays[])() = {
      &HostileUser::FillQueue,        &HostileUser::OpenWatches,    &HostileUser::AskForAll,
      &HostileUser::AskForPrecedence, &HostileUser::StirVictimsJob, &HostileUser::StirHonest};
  (this->*kWays[Below(std::size(kWays))])();
}

void HostileUser::FillQueue() {
  v1::UpdateJobsRequest request;
  for (int i = 0; i < kJobsAtOnce; ++i) {
    AddJob(absl::StrCat("mine-", jobs_++ % kMostJobs), kHostileUser, &request);
  }
  const auto response = AnyClient().UpdateJobs(request);
  if (Served("UpdateJobs", response.status())) ExpectDoneOr("MaxJobCount", *response);
}

void HostileUser::OpenWatches() {
  for (int i = 0; i < kWatchesAtOnce; ++i) {
    if (watches_.size() >= kMostWatches) CloseWatch();
    v1::WatchRankingRequest request;
    request.set_cluster(Below(2) == 0 ? kHostileCluster : AnyHonestCluster());
    request.set_limit(kRowsOfWatch - static_cast<uint32_t>(Below(1000)));
    request.set_ineligible(true);
    auto watch = std::make_unique<Watch>();
    watch->context.set_deadline(absl::ToChronoTime(absl::Now() + kLifeOfWatches));
    watch->stream = AnyClient().OpenWatchRanking(&watch->context, request);
    // Of one that is open nobody reads more than this.
    v1::WatchRankingResponse first;
    if (watch->stream->Read(&first)) {
      CountServed();
      watches_.push_back(std::move(watch));
    } else {
      NoteRefusedWatch(client::FromGrpc(watch->stream->Finish()));
    }
  }
}

void HostileUser::NoteRefusedWatch(const absl::Status& status) {
  Served("WatchRanking", status);
  if (!absl::IsResourceExhausted(status)) return;
  ++refused_watches_;
  EXPECT_EQ(client::Reason(status), "TOO_MANY_WATCHES") << status;
}

void HostileUser::CloseWatch() {
  watches_.front()->context.TryCancel();
  // However it ends: it was cancelled, or lost to a fault, or its time was over.
  watches_.front()->stream->Finish();
  watches_.pop_front();
}

void HostileUser::AskForAll() {
  v1::ListJobsRequest jobs;
  jobs.set_cluster(kHostileCluster);
  Served("ListJobs", AnyClient().ListAllJobs(jobs).status());
  v1::ListSharesRequest shares;
  shares.set_cluster(AnyHonestCluster());
  Served("ListShares", AnyClient().ListAllShares(shares).status());
  v1::RankJobsRequest ranking;
  ranking.set_cluster(kHostileCluster);
  ranking.mutable_tracked();
  ranking.set_limit(kAll);
  Served("RankJobs", AnyClient().RankJobs(ranking).status());
}

void HostileUser::AskForPrecedence() {
  v1::UpdateJobsRequest reserved, first, started;
  AddJob("mine-reserved", kHostileUser, &reserved)->set_reservation("maintenance");
  ExpectNothingDone("reservation", AnyClient().UpdateJobs(reserved));
  AddJob("mine-first", kHostileUser, &first)->set_admin_priority(4'000'000'000);
  ExpectNothingDone("admin_priority", AnyClient().UpdateJobs(first));
  AddJob("mine-started", kHostileUser, &started)->set_state(v1::JOB_STATE_RUNNING);
  ExpectNothingDone("state", AnyClient().UpdateJobs(started));
}

void HostileUser::StirVictimsJob() {
  v1::UpdateJobsRequest pending, taken, removed;
  AddJob(kVictimsRunningJob, kVictim, &pending)->set_state(v1::JOB_STATE_PENDING);
  ExpectNothingDone("another's job that runs", AnyClient().UpdateJobs(pending));
  AddJob(kVictimsRunningJob, kHostileUser, &taken);
  ExpectNothingDone("another's job as one's own", AnyClient().UpdateJobs(taken));
  removed.set_cluster(kHostileCluster);
  removed.add_removals(kVictimsRunningJob);
  ExpectNothingDone("removal of another's job", AnyClient().UpdateJobs(removed));
}

void HostileUser::ExpectVictimsJobAsItWas() {
  v1::ListJobsRequest request;
  request.set_cluster(kHostileCluster);
  request.add_job_ids(kVictimsRunningJob);
  const auto listed = replicas()[0]->client().ListJobs(request);
  ASSERT_TRUE(listed.ok()) << listed.status();
  ASSERT_EQ(listed->jobs_size(), 1);
  const v1::Job& job = listed->jobs(0).job();
  EXPECT_EQ(job.user(), kVictim);
  EXPECT_EQ(job.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(listed->jobs(0).source(), kFrontendSource);
}

void HostileUser::ExpectOwnPartOfTheQueue() {
  v1::ListJobsRequest request;
  request.set_cluster(kHostileCluster);
  request.add_users(kHostileUser);
  request.set_page_size(1);
  const auto listed = replicas()[0]->client().ListJobs(request);
  ASSERT_TRUE(listed.ok()) << listed.status();
  EXPECT_LE(listed->total(), kPartOfJobs);
}

void HostileUser::Finish() {
  // On a slow machine the dice may have opened too few.
  for (int i = 0; i < 2 && refused_watches_ == 0; ++i) OpenWatches();
  while (!watches_.empty()) CloseWatch();
  EXPECT_GT(refused_watches_, 0) << caller() << ": every watch was let in";
  ExpectVictimsJobAsItWas();
  ExpectOwnPartOfTheQueue();
  HostileLoad::Finish();
}

HostileCoordinator::HostileCoordinator(const LoadOptions& options)
    : HostileLoad(kHostileCoordinator, options, kPauseOfChanges) {}

void HostileCoordinator::Step() {
  static constexpr void (HostileCoordinator::*kWays[])() = {
      &HostileCoordinator::DeleteAndAddGuest, &HostileCoordinator::SetNiceOfOthers,
      &HostileCoordinator::ChangeOwnAccount, &HostileCoordinator::ChangeHonest,
      &HostileCoordinator::StirHonest};
  (this->*kWays[Below(std::size(kWays))])();
}

void HostileCoordinator::DeleteAndAddGuest() {
  const absl::Status deleted =
      AnyClient().DeleteAssociations(Deletion(kHostileCluster, kHostileAccount, kGuest)).status();
  // An earlier one, whose answer was lost, may have done it.
  if (!absl::IsNotFound(deleted)) Served("DeleteAssociations", deleted);
  Served(
      "CreateAssociations",
      AnyClient().CreateAssociations(Addition(kHostileCluster, kHostileAccount, kGuest)).status());
}

void HostileCoordinator::SetNiceOfOthers() {
  const auto raised =
      AnyClient().UpdateJobs(NiceOf(kVictimsPendingJob, static_cast<int64_t>(Below(1000))));
  if (Served("nice", raised.status())) ExpectDoneOr("AccessDenied", *raised);
  ExpectNothingDone("nice below 0", AnyClient().UpdateJobs(NiceOf(kVictimsPendingJob, -1000)));
}

void HostileCoordinator::ChangeOwnAccount() {
  v1::UpdateAssociationsRequest request;
  request.set_cluster(kHostileCluster);
  request.mutable_where()->add_accounts(kHostileAccount);
  v1::Setting* setting = request.add_settings();
  setting->set_name("Fairshare");
  setting->set_value("1000");
  ExpectDenied("shares of the own account", AnyClient().UpdateAssociations(request).status());
}

HostileOperator::HostileOperator(const LoadOptions& options)
    : HostileLoad(kHostileOperator, options, kPauseOfChanges) {}

void HostileOperator::Step() {
  static constexpr void (HostileOperator::*kWays[])() = {
      &HostileOperator::Administer, &HostileOperator::AskForTheAudit,
      &HostileOperator::OperateHonestClusters, &HostileOperator::ChangeHonest,
      &HostileOperator::StirHonest};
  (this->*kWays[Below(std::size(kWays))])();
}

// What an operator may not in their own cluster either.
void HostileOperator::Administer() {
  v1::ApplyPolicyRequest policy;
  policy.set_cluster(kHostileCluster);
  policy.set_text("PriorityWeightAge=1\n");
  policy.set_file_name("slurm.conf");
  ExpectDenied("ApplyPolicy", AnyClient().ApplyPolicy(policy).status(), "ROLE_REQUIRED");
  ExpectDenied("Import", AnyClient().Import(SiteOf(AnyCluster())).status());
  v1::DeleteClusterRequest deletion;
  deletion.set_name(AnyHonestCluster());
  ExpectDenied("DeleteCluster", AnyClient().DeleteCluster(deletion).status());
}

void HostileOperator::AskForTheAudit() {
  v1::ListAuditEventsRequest request;
  request.set_cluster(kHostileCluster);
  Served("ListAuditEvents", AnyClient().ListAuditEvents(request, 1000).status());
  v1::RecalculateRequest recalculation;
  recalculation.set_cluster(kHostileCluster);
  Served("Recalculate", AnyClient().Recalculate(recalculation).status());
}

void HostileOperator::OperateHonestClusters() {
  const std::string cluster = AnyHonestCluster();
  v1::ResetUsageRequest reset;
  reset.set_cluster(cluster);
  reset.set_account(AccountName(0));
  ExpectDenied("ResetUsage", AnyClient().ResetUsage(reset).status(), "ROLE_REQUIRED");
  v1::RecalculateRequest recalculation;
  recalculation.set_cluster(cluster);
  ExpectDenied("Recalculate", AnyClient().Recalculate(recalculation).status(), "ROLE_REQUIRED");
  v1::CreateQosRequest qos;
  qos.set_cluster(cluster);
  qos.add_names("mine");
  ExpectDenied("CreateQos", AnyClient().CreateQos(qos).status(), "ROLE_REQUIRED");
}

}  // namespace priorityd::soak
