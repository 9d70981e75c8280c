// client/examples/batch_frontend on the real service: Palmetto's examples.
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/examples/batch_frontend/player.h"
#include "client/examples/batch_frontend/remote_cluster.h"
#include "client/examples/batch_frontend/site_files.h"
#include "client/priority_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/examples/batch_frontend/palmetto_jobs.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd::batch_frontend {
namespace {

using palmetto::At;
using ::testing::HasSubstr;

// A cluster in a service of its own.
class Site {
 public:
  Site()
      : priorityd_(
            {"--listen=127.0.0.1:0", absl::StrCat("--database_url=", storage::NewTestDatabase())}) {
    if (!priorityd_.AwaitListening()) return;
    client_ = std::make_unique<client::PriorityClient>(
        client::ConnectOptions{.address = priorityd_.address(), .cluster = "palmetto"});
    cluster_ = std::make_unique<RemoteCluster>(client_.get());
  }

  RemoteCluster& cluster() { return *cluster_; }
  const client::PriorityClient& client() const { return *client_; }

  // What became of the jobs, by id.
  std::map<std::string, PlayedJob> Play(const std::vector<Job>& jobs, const PlayOptions& options) {
    const auto played = Player(cluster_.get(), &jobs, options).Play();
    EXPECT_TRUE(played.ok()) << played.status();
    std::map<std::string, PlayedJob> by_id;
    for (size_t i = 0; played.ok() && i < jobs.size(); ++i) by_id[jobs[i].id] = played->jobs[i];
    return by_id;
  }

 private:
  RealPriorityd priorityd_;
  std::unique_ptr<client::PriorityClient> client_;
  std::unique_ptr<RemoteCluster> cluster_;
};

TEST(BatchFrontendTest, PalmettosEightJobsStartAsItsPageShows) {
  const std::vector<Job> jobs = palmetto::EightJobs();
  Site site;
  ASSERT_TRUE(site.cluster()
                  .Import(SlurmConf({.cluster = "palmetto", .nodes = 2, .cpus_per_node = 2}),
                          SacctmgrDump("palmetto", jobs))
                  .ok());
  const auto played = site.Play(jobs, {.nodes = 2, .cpus_per_node = 2});
  for (const auto& [id, wanted] : palmetto::EightStarts()) {
    SCOPED_TRACE(absl::StrCat("job ", id));
    EXPECT_EQ(played.at(id).start_time, wanted.time);
    EXPECT_EQ(played.at(id).allocation.nodes, (std::vector<int>{wanted.node}));
    EXPECT_EQ(played.at(id).backfilled, wanted.backfilled);
  }
}

// Its first example: three of four nodes busy until 10:00; then three jobs, the first of
// which wants two nodes. Their priorities, 5000, 3000 and 2000, are those of their users'
// associations; their ids are the other way round, so that without priorities the last
// one would be the first.
std::vector<Job> ThreeJobs() {
  const auto job = [](std::string id, std::string user, absl::Time submitted, int nodes,
                      absl::Duration time) {
    return Job{.id = id,
               .user = user,
               .submit_time = submitted,
               .time_limit = time,
               .run_time = time,
               .request = {.nodes = nodes, .cpus_per_node = 1}};
  };
  return {job("1", "ann", At(8, 0), 3, absl::Hours(2)),
          job("7", "third", At(9, 0), 1, absl::Hours(1)),
          job("8", "second", At(9, 0), 1, absl::Minutes(90)),
          job("9", "first", At(9, 0), 2, absl::Hours(1))};
}

void ImportThreeJobs(Site* site) {
  constexpr char kConf[] =
      "ClusterName=palmetto\nClock=manual\nPriorityType=priority/multifactor\n"
      "PriorityCalcPeriod=5\nPriorityWeightAssoc=5000\nNodeName=n[1-4] CPUs=1\n"
      "PartitionName=batch Nodes=n[1-4] Default=YES\n";
  constexpr char kDump[] =
      "Cluster - 'palmetto':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\n"
      "Parent - 'a'\nUser - 'ann':DefaultAccount='a':Fairshare=1\n"
      "User - 'first':DefaultAccount='a':Fairshare=1:Priority=5000\n"
      "User - 'second':DefaultAccount='a':Fairshare=1:Priority=3000\n"
      "User - 'third':DefaultAccount='a':Fairshare=1:Priority=2000\n";
  const absl::Status status = site->cluster().Import(kConf, kDump);
  ASSERT_TRUE(status.ok()) << status;
}

TEST(BatchFrontendTest, PalmettosMainLoopLeavesTheFreeNodeIdle) {
  Site site;
  ImportThreeJobs(&site);
  const auto played = site.Play(ThreeJobs(), {.nodes = 4, .backfill = false});
  for (const std::string id : {"7", "8", "9"}) EXPECT_EQ(played.at(id).start_time, At(10, 0)) << id;
}

TEST(BatchFrontendTest, ItsBackfillStartsWhatEndsBeforeTheFirstCanStart) {
  Site site;
  ImportThreeJobs(&site);
  // At 10:00 there is room for two more beside the first, so the free node goes to the
  // second, though it runs until 10:30.
  const auto played = site.Play(ThreeJobs(), {.nodes = 4});
  EXPECT_EQ(played.at("8").start_time, At(9, 0));
  EXPECT_TRUE(played.at("8").backfilled);
  EXPECT_EQ(played.at("9").start_time, At(10, 0));
  EXPECT_EQ(played.at("7").start_time, At(10, 0));
}

// Two nodes of four CPUs, full since 9:00; an owner's job at 9:30.
std::vector<Job> JobsOfOwnerAndOthers() {
  const auto job = [](std::string id, absl::Time submitted, int cpus, absl::Duration time) {
    return Job{.id = id,
               .user = "ann",
               .submit_time = submitted,
               .time_limit = time,
               .run_time = time,
               .request = {.nodes = 1, .cpus_per_node = cpus}};
  };
  std::vector<Job> jobs = {
      job("wide", At(9, 0), 4, absl::Hours(2)), job("left", At(9, 0), 2, absl::Hours(2)),
      job("right", At(9, 0), 2, absl::Hours(2)), job("owner", At(9, 30), 4, absl::Minutes(30))};
  jobs[3].partition = "owners";
  return jobs;
}

PlayOptions WithOwners() { return {.nodes = 2, .cpus_per_node = 4, .preempting = {"owners"}}; }

void ImportOwners(Site* site) {
  constexpr char kConf[] =
      "ClusterName=palmetto\nClock=manual\nPriorityType=priority/multifactor\n"
      "PriorityDecayHalfLife=INFINITE\nPriorityUsageResetPeriod=YEARLY\n"
      "PriorityCalcPeriod=5\nPreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
      "NodeName=n[1-2] CPUs=4\nPartitionName=work1 Nodes=ALL Default=YES\n"
      "PartitionName=owners Nodes=ALL PriorityTier=10 PreemptMode=OFF\n";
  const absl::Status status =
      site->cluster().Import(kConf, SacctmgrDump("palmetto", JobsOfOwnerAndOthers()));
  ASSERT_TRUE(status.ok()) << status;
}

// "if preemption is unavoidable, Slurm will attempt to preempt the fewest number of jobs possible";
// "If a batch job gets preempted, it will be requeued."
TEST(BatchFrontendTest, PalmettosOwnerPreemptsTheFewestAndBatchJobsAreRequeued) {
  Site site;
  ImportOwners(&site);
  const auto played = site.Play(JobsOfOwnerAndOthers(), WithOwners());
  EXPECT_EQ(played.at("owner").start_time, At(9, 30));
  EXPECT_EQ(played.at("wide").preemptions, 1);
  EXPECT_EQ(played.at("wide").start_time, At(10, 0)) << "from the beginning, behind the owner";
  EXPECT_EQ(played.at("wide").end_time, At(12, 0));
  EXPECT_EQ(played.at("left").preemptions + played.at("right").preemptions, 0);
  // What was used before the preemption is charged: 4 x 30 minutes, besides whole runs.
  const auto shares = site.cluster().Shares();
  ASSERT_TRUE(shares.ok());
  EXPECT_NEAR(shares->shares(0).raw_usage(), 3600 * (2 + 8 + 4 + 4 + 2), 1e-6);
}

// "If an interactive or Open On Demand job gets preempted, it will be canceled".
TEST(BatchFrontendTest, PalmettosInteractiveJobsAreCancelled) {
  std::vector<Job> jobs = JobsOfOwnerAndOthers();
  jobs[0].interactive = true;
  Site site;
  ImportOwners(&site);
  const auto played = site.Play(jobs, WithOwners());
  EXPECT_EQ(played.at("owner").start_time, At(9, 30));
  EXPECT_TRUE(played.at("wide").cancelled);
  EXPECT_EQ(played.at("wide").end_time, At(9, 30));
  EXPECT_EQ(site.client().ListAllJobs({})->total(), 0) << "jobs are left in the queue";
}

// "Slurm will always attempt to start an owner job without preempting."
TEST(BatchFrontendTest, PalmettosOwnerPreemptsNobodyWhereThereIsRoom) {
  std::vector<Job> jobs = JobsOfOwnerAndOthers();
  jobs.erase(jobs.begin());
  Site site;
  ImportOwners(&site);
  const auto played = site.Play(jobs, WithOwners());
  EXPECT_EQ(played.at("owner").start_time, At(9, 30));
  for (const auto& [id, job] : played) EXPECT_EQ(job.preemptions, 0) << id;
}

// "These partitions are limited on resources based on the number of nodes purchased."
TEST(BatchFrontendTest, PalmettosOwnersHoldNoMoreNodesThanTheyBought) {
  std::vector<Job> jobs = JobsOfOwnerAndOthers();
  jobs.push_back(jobs[3]);
  jobs[4].id = "second";
  PlayOptions options = WithOwners();
  v1::PartitionCap& cap = *options.description.add_partition_caps();
  cap.set_partition("owners");
  cap.set_nodes(1);
  Site site;
  ImportOwners(&site);
  const auto played = site.Play(jobs, options);
  EXPECT_EQ(played.at("owner").start_time, At(9, 30));
  EXPECT_EQ(played.at("second").start_time, At(10, 0));
  EXPECT_EQ(played.at("left").preemptions + played.at("right").preemptions, 0);
}

// "the priority of a job requesting A100 GPUs will not affect the scheduling of a job requesting
// V100 GPUs."
TEST(BatchFrontendTest, PalmettosJobForA100sDoesNotHoldUpOneForV100s) {
  std::vector<Job> jobs = JobsOfOwnerAndOthers();
  jobs.pop_back();
  const char* gpus[] = {"gres/gpu:a100", "gres/gpu:a100", "gres/gpu:v100"};
  for (int i = 0; i < 3; ++i) {
    jobs[i].request.cpus_per_node = 1;
    jobs[i].submit_time = At(9, i);
    jobs[i].tres = {{gpus[i], 2}};
  }
  PlayOptions options{.backfill = false};
  for (const char* type : {"a100", "v100"}) {
    v1::NodeType& nodes = *options.description.add_node_types();
    nodes.set_name(type);
    nodes.set_nodes(1);
    (*nodes.mutable_tres())["cpu"] = 4;
    (*nodes.mutable_tres())[absl::StrCat("gres/gpu:", type)] = 2;
  }
  Site site;
  ImportOwners(&site);
  const auto played = site.Play(jobs, options);
  EXPECT_EQ(played.at("wide").start_time, At(9, 0));
  EXPECT_EQ(played.at("left").start_time, At(11, 0));
  EXPECT_EQ(played.at("right").start_time, At(9, 2));
  EXPECT_EQ(played.at("right").allocation.nodes, (std::vector<int>{1}));
}

TEST(BatchFrontendTest, AJobNeverLeavesItsUsageUncharged) {
  const std::vector<Job> jobs = palmetto::EightJobs();
  Site site;
  SiteOptions options{.cluster = "palmetto", .nodes = 2, .cpus_per_node = 2};
  options.half_life = "INFINITE";
  ASSERT_TRUE(site.cluster().Import(SlurmConf(options), SacctmgrDump("palmetto", jobs)).ok());
  site.Play(jobs, {.nodes = 2, .cpus_per_node = 2});
  const auto shares = site.cluster().Shares();
  ASSERT_TRUE(shares.ok());
  double wanted = 0;
  for (const Job& job : jobs) wanted += job.request.cpus() * absl::ToDoubleSeconds(job.run_time);
  EXPECT_NEAR(shares->shares(0).raw_usage(), wanted, 1e-9 * wanted);
  EXPECT_EQ(site.client().ListAllJobs({})->total(), 0) << "jobs are left in the queue";
}

TEST(BatchFrontendTest, AJobLargerThanTheClusterIsNeverStartedAndHoldsNobodyUp) {
  std::vector<Job> jobs = palmetto::EightJobs();
  jobs[0].request.nodes = 3;
  Site site;
  ASSERT_TRUE(site.cluster()
                  .Import(SlurmConf({.cluster = "palmetto", .nodes = 2, .cpus_per_node = 2}),
                          SacctmgrDump("palmetto", jobs))
                  .ok());
  const auto played = Player(&site.cluster(), &jobs, {.nodes = 2, .cpus_per_node = 2}).Play();
  ASSERT_TRUE(played.ok()) << played.status();
  EXPECT_EQ(played->jobs[0].start_time, std::nullopt);
  for (size_t i = 1; i < jobs.size(); ++i) EXPECT_TRUE(played->jobs[i].start_time) << i;
  EXPECT_EQ(played->ineligible, (std::map<std::string, int64_t>{{"PartitionNodeLimit", 1}}));
}

TEST(BatchFrontendTest, AUserOverASubmitLimitIsRefusedJobByJob) {
  const std::vector<Job> jobs = palmetto::EightJobs();
  Site site;
  std::string dump = SacctmgrDump("palmetto", jobs);
  dump.replace(dump.find("Fairshare=1\n", dump.find("'ann'")), 11, "Fairshare=1:MaxSubmitJobs=4");
  ASSERT_TRUE(site.cluster()
                  .Import(SlurmConf({.cluster = "palmetto", .nodes = 2, .cpus_per_node = 2}), dump)
                  .ok());
  const auto played = site.Play(jobs, {.nodes = 2, .cpus_per_node = 2});
  // At 10:12 jobs 2 to 5 run or wait.
  EXPECT_TRUE(played.at("5").start_time.has_value());
  EXPECT_TRUE(played.at("6").refused);
  EXPECT_FALSE(played.at("6").start_time.has_value());
}

TEST(BatchFrontendTest, AClusterWhoseClockIsRealIsRefused) {
  Site site;
  const absl::Status status = site.cluster().Import("ClusterName=palmetto\n", "");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("got Clock=real, want Clock=manual"));
}

}  // namespace
}  // namespace priorityd::batch_frontend
