// Several real processes on one database: the same numbers from each, and the
// leadership moves on when the leader dies or freezes.
#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/await.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

using ::google::protobuf::util::MessageDifferencer;

constexpr absl::Duration kReplicaPatience = absl::Minutes(2);
// Generous, for a machine with other work to do; an idle one needs a part of it.
constexpr absl::Duration kDeadFor = absl::Seconds(100);
constexpr absl::Duration kFrozenFor = absl::Seconds(100);

// A process and its stubs.
struct Replica {
  explicit Replica(const std::string& database_url)
      : process({"--listen=127.0.0.1:0", absl::StrCat("--database_url=", database_url)}) {
    if (!process.AwaitListening()) return;
    priority = v1::PriorityService::NewStub(process.Connect());
    admin = v1::AdminService::NewStub(process.Connect());
  }

  v1::ListSharesResponse ListShares() {
    grpc::ClientContext context;
    v1::ListSharesResponse shares;
    const grpc::Status status = priority->ListShares(&context, {}, &shares);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return shares;
  }
  // Until it succeeds, as a client does. One whose answer was lost was made too: the generation may
  // be later than the next.
  int64_t RecalculateAtLast() {
    for (const absl::Time until = absl::Now() + kReplicaPatience; absl::Now() < until;) {
      grpc::ClientContext context;
      v1::Snapshot snapshot;
      if (admin->Recalculate(&context, {}, &snapshot).ok()) return snapshot.generation();
      absl::SleepFor(absl::Milliseconds(20));
    }
    return 0;
  }
  void UpdateJob(const std::string& job_id) {
    grpc::ClientContext context;
    v1::UpdateJobsRequest request;
    v1::UpdateJobsResponse response;
    request.add_upserts()->set_job_id(job_id);
    request.mutable_upserts(0)->set_user("u1");
    request.mutable_upserts(0)->set_account("a1");
    const grpc::Status status = priority->UpdateJobs(&context, request, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(response.upserts(0).outcome(), v1::UPDATE_OUTCOME_UPSERTED);
  }
  // Until so many tracked jobs are ranked.
  bool AwaitRanked(uint32_t jobs) {
    for (const absl::Time until = absl::Now() + kReplicaPatience; absl::Now() < until;) {
      grpc::ClientContext context;
      v1::RankJobsRequest request;
      request.mutable_tracked();
      v1::RankJobsResponse response;
      const bool ranked = priority->RankJobs(&context, request, &response).ok();
      if (ranked && response.ranked_total() == jobs) return true;
      absl::SleepFor(absl::Milliseconds(10));
    }
    return false;
  }
  bool AwaitLeading() {
    for (const absl::Time until = absl::Now() + kReplicaPatience; absl::Now() < until;) {
      grpc::ClientContext context;
      v1::GetStatusResponse status;
      if (admin->GetStatus(&context, {}, &status).ok() && status.leader()) return true;
      absl::SleepFor(absl::Milliseconds(10));
    }
    return false;
  }
  bool AwaitGeneration(int64_t generation) {
    for (const absl::Time until = absl::Now() + kReplicaPatience; absl::Now() < until;) {
      grpc::ClientContext context;
      v1::ListSharesResponse shares;
      // Before the first one is loaded it fails.
      const bool listed = priority->ListShares(&context, {}, &shares).ok();
      if (listed && shares.snapshot().generation() >= generation) return true;
      absl::SleepFor(absl::Milliseconds(10));
    }
    return false;
  }
  bool AwaitLog(const std::string& text) {
    for (const absl::Time until = absl::Now() + kReplicaPatience; absl::Now() < until;) {
      if (process.Err().find(text) != std::string::npos) return true;
      absl::SleepFor(absl::Milliseconds(10));
    }
    return false;
  }

  RealPriorityd process;
  std::unique_ptr<v1::PriorityService::Stub> priority;
  std::unique_ptr<v1::AdminService::Stub> admin;
};

void ImportSite(Replica& replica, const std::string& policy) {
  v1::ImportRequest request;
  auto add = [&](v1::FileKind kind, const std::string& content) {
    v1::File* file = request.add_files();
    file->set_name("file");
    file->set_kind(kind);
    file->set_content(content);
  };
  add(v1::FILE_KIND_SLURM_CONF,
      absl::StrCat("ClusterName=c\nPriorityDecayHalfLife=1:0:0\n", policy));
  std::string dump = "Cluster - 'c':Fairshare=1\n", usage;
  for (int a = 0; a < 10; ++a) {
    absl::StrAppend(&dump, "Parent - 'root'\nAccount - 'a", a, "':Fairshare=", a + 1,
                    "\nParent - 'a", a, "'\n");
    for (int u = 0; u < 20; ++u) {
      absl::StrAppend(&dump, "User - 'u", u, "':Fairshare=", u % 7, "\n");
      absl::StrAppend(&usage, "a", a, "|u", u, "||", 1.0 / (3 + a * u), "\n");
    }
  }
  add(v1::FILE_KIND_SACCTMGR_DUMP, dump);
  add(v1::FILE_KIND_USAGE, usage);
  grpc::ClientContext context;
  v1::ImportResponse response;
  const grpc::Status status = replica.admin->Import(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

void Report(const char* what, absl::Duration took) {
  ::testing::Test::RecordProperty(what, absl::FormatDuration(took));
  std::printf("%s: the next leader published after %s\n", what,
              absl::FormatDuration(absl::Trunc(took, absl::Milliseconds(1))).c_str());
}

// The first one leads.
class ReplicasTest : public ::testing::Test {
 protected:
  ReplicasTest() : url_(storage::NewTestDatabase()) {}

  void Start(int count, const std::string& policy = "") {
    replicas_.push_back(std::make_unique<Replica>(url_));
    ASSERT_TRUE(replicas_[0]->AwaitLeading());
    for (int i = 1; i < count; ++i) replicas_.push_back(std::make_unique<Replica>(url_));
    ImportSite(*replicas_[0], policy);
    for (const auto& replica : replicas_) ASSERT_TRUE(replica->AwaitGeneration(1));
  }
  Replica& replica(int i) { return *replicas_[i]; }

  // All but `first` ones come to this generation, or together to a later one, with identical
  // numbers.
  void ExpectSame(int64_t generation, size_t first = 0) {
    std::vector<v1::ListSharesResponse> shares;
    const auto are_of_one_generation = [&] {
      shares.clear();
      for (size_t i = first; i < replicas_.size(); ++i) {
        shares.push_back(replicas_[i]->ListShares());
        // Each may have been without its database for a while.
        shares.back().mutable_snapshot()->clear_stale_for();
      }
      return absl::c_all_of(shares, [&](const v1::ListSharesResponse& its) {
        return its.snapshot().generation() >= generation &&
               its.snapshot().generation() == shares[0].snapshot().generation();
      });
    };
    ASSERT_TRUE(Await(are_of_one_generation, kReplicaPatience));
    for (size_t i = 0; i < shares.size(); ++i) {
      EXPECT_EQ(shares[i].shares_size(), 211);
      EXPECT_TRUE(MessageDifferencer::Equals(shares[i], shares[0])) << "replica " << first + i;
    }
  }

  const std::string url_;
  std::vector<std::unique_ptr<Replica>> replicas_;
};

class CountOfReplicasTest : public ReplicasTest, public ::testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(TwoAndThree, CountOfReplicasTest, ::testing::Values(2, 3));

TEST_P(CountOfReplicasTest, EachAnswersWithTheSameGenerationsIdenticalNumbers) {
  Start(GetParam());
  int64_t generation = 1;
  for (int round = 0; round < 3; ++round) {
    ExpectSame(generation);
    // Time passes between two of them, so the numbers differ. A follower is asked.
    const int64_t next = replicas_.back()->RecalculateAtLast();
    EXPECT_GT(next, generation);
    generation = next;
  }
}

TEST_F(ReplicasTest, JobsSentToOneReplicaAreRankedByAllAndOutliveIt) {
  Start(3);
  for (const auto& replica : replicas_) ASSERT_TRUE(replica->AwaitRanked(0));
  replica(1).UpdateJob("1");
  replica(2).UpdateJob("2");
  replica(1).process.Signal(SIGKILL);
  EXPECT_TRUE(replica(0).AwaitRanked(2));
  replica(0).UpdateJob("3");
  EXPECT_TRUE(replica(2).AwaitRanked(3));
}

TEST_F(ReplicasTest, AKilledLeaderIsFollowedWithinSeconds) {
  Start(3);
  replica(0).process.Signal(SIGKILL);
  const absl::Time killed = absl::Now();
  const int64_t generation = replica(1).RecalculateAtLast();
  EXPECT_GE(generation, 2);
  const absl::Duration took = absl::Now() - killed;
  EXPECT_LT(took, kDeadFor);
  Report("kill -9", took);
  ExpectSame(generation, 1);
}

TEST_F(ReplicasTest, AFrozenLeaderIsFollowedWithinSecondsAndFollowsWhenItWakesUp) {
  Start(3);
  replica(0).process.Signal(SIGSTOP);
  const absl::Time frozen = absl::Now();
  const int64_t generation = replica(1).RecalculateAtLast();
  EXPECT_GE(generation, 2);
  const absl::Duration took = absl::Now() - frozen;
  EXPECT_LT(took, kFrozenFor);
  Report("SIGSTOP", took);

  replica(0).process.Signal(SIGCONT);
  // It can only ask: a later generation, from the leader of now.
  const int64_t later = replica(0).RecalculateAtLast();
  EXPECT_GT(later, generation);
  EXPECT_TRUE(replica(0).AwaitLog("no longer leads"));
  ExpectSame(later);
}

// A period is a minute at least, so this takes one.
TEST_F(ReplicasTest, APeriodThatTheLeaderSleptThroughIsPublishedOnce) {
  Start(2, "PriorityCalcPeriod=1\n");
  const v1::Snapshot first = replica(0).ListShares().snapshot();
  replica(0).process.Signal(SIGSTOP);
  ASSERT_TRUE(replica(1).AwaitGeneration(2));
  // Its own clock says that the period is due.
  replica(0).process.Signal(SIGCONT);
  EXPECT_TRUE(replica(0).AwaitLog("no longer leads"));
  ExpectSame(2);
  // Any later one is of a later period, which is half over at most when it is computed.
  const v1::Snapshot last = replica(0).ListShares().snapshot();
  EXPECT_GE(last.computed_at().seconds() - first.computed_at().seconds(),
            60 * (last.generation() - first.generation()) - 30);
  EXPECT_GE(replica(0).RecalculateAtLast(), 3);
}

TEST_F(ReplicasTest, ADatabaseThatDiesAndComesBackNeedsNoRestart) {
  Start(3);
  ASSERT_EQ(kill(storage::TestServer().pid(), SIGKILL), 0);
  for (const auto& replica : replicas_) EXPECT_EQ(replica->ListShares().shares_size(), 211);
  const int64_t generation = replica(2).RecalculateAtLast();
  EXPECT_GE(generation, 2);
  ExpectSame(generation);
}

}  // namespace
}  // namespace priorityd
