// Several real processes on one database: the same numbers from each, and the
// leadership moves on when the leader dies or freezes.
#include <google/protobuf/util/message_differencer.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

using ::google::protobuf::util::MessageDifferencer;

constexpr absl::Duration kPatience = absl::Minutes(1);
// Generous, for a machine with other work to do; an idle one needs a part of it.
constexpr absl::Duration kDeadFor = absl::Seconds(10);
constexpr absl::Duration kFrozenFor = absl::Seconds(15);

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
  int64_t Recalculate() {
    grpc::ClientContext context;
    context.set_deadline(absl::ToChronoTime(absl::Now() + kPatience));
    v1::Snapshot snapshot;
    const grpc::Status status = admin->Recalculate(&context, {}, &snapshot);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return snapshot.generation();
  }
  // The same until it succeeds, as a client does.
  int64_t RecalculateAtLast() {
    for (const absl::Time until = absl::Now() + kPatience; absl::Now() < until;) {
      grpc::ClientContext context;
      v1::Snapshot snapshot;
      if (admin->Recalculate(&context, {}, &snapshot).ok()) return snapshot.generation();
      absl::SleepFor(absl::Milliseconds(20));
    }
    return 0;
  }
  bool AwaitGeneration(int64_t generation) {
    for (const absl::Time until = absl::Now() + kPatience; absl::Now() < until;) {
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
    for (const absl::Time until = absl::Now() + kPatience; absl::Now() < until;) {
      if (process.Err().find(text) != std::string::npos) return true;
      absl::SleepFor(absl::Milliseconds(10));
    }
    return false;
  }

  RealPriorityd process;
  std::unique_ptr<v1::PriorityService::Stub> priority;
  std::unique_ptr<v1::AdminService::Stub> admin;
};

void ImportSite(Replica& replica) {
  v1::ImportRequest request;
  auto add = [&](v1::FileKind kind, const std::string& content) {
    v1::File* file = request.add_files();
    file->set_name("file");
    file->set_kind(kind);
    file->set_content(content);
  };
  add(v1::FILE_KIND_SLURM_CONF, "ClusterName=c\nPriorityDecayHalfLife=1:0:0\n");
  std::string dump = "Cluster - 'c':Fairshare=1\n", usage;
  for (int a = 0; a < 10; ++a) {
    absl::StrAppend(&dump, "Parent - 'root'\nAccount - 'a", a, "':Fairshare=", a + 1, "\nParent - 'a",
                    a, "'\n");
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

void ExpectSameShares(const v1::ListSharesResponse& a, const v1::ListSharesResponse& b) {
  EXPECT_TRUE(MessageDifferencer::Equals(a, b))
      << a.snapshot().DebugString() << b.snapshot().DebugString();
}

void Report(const char* what, absl::Duration took) {
  ::testing::Test::RecordProperty(what, absl::FormatDuration(took));
  std::printf("%s: the next leader published after %s\n", what,
              absl::FormatDuration(absl::Trunc(took, absl::Milliseconds(1))).c_str());
}

class ReplicasTest : public ::testing::Test {
 protected:
  ReplicasTest()
      : url_(storage::NewTestDatabase()), leader_(url_), second_(url_), third_(url_) {
    ImportSite(leader_);
    for (Replica* follower : {&second_, &third_}) EXPECT_TRUE(follower->AwaitGeneration(1));
  }

  const std::string url_;
  Replica leader_;
  Replica second_;
  Replica third_;
};

TEST_F(ReplicasTest, ThreeAnswerWithTheSameGenerationsIdenticalNumbers) {
  for (int64_t generation = 1; generation <= 3; ++generation) {
    const v1::ListSharesResponse shares = leader_.ListShares();
    EXPECT_EQ(shares.snapshot().generation(), generation);
    EXPECT_EQ(shares.shares_size(), 211);
    for (Replica* follower : {&second_, &third_}) {
      ASSERT_TRUE(follower->AwaitGeneration(generation));
      ExpectSameShares(follower->ListShares(), shares);
    }
    // Time passes between two of them, so the numbers differ.
    EXPECT_EQ(third_.Recalculate(), generation + 1);
    ASSERT_TRUE(leader_.AwaitGeneration(generation + 1));
  }
}

TEST_F(ReplicasTest, AKilledLeaderIsFollowedWithinSeconds) {
  leader_.process.Signal(SIGKILL);
  const absl::Time killed = absl::Now();
  EXPECT_EQ(second_.RecalculateAtLast(), 2);
  const absl::Duration took = absl::Now() - killed;
  EXPECT_LT(took, kDeadFor);
  Report("kill -9", took);
  ASSERT_TRUE(third_.AwaitGeneration(2));
  ExpectSameShares(second_.ListShares(), third_.ListShares());
}

TEST_F(ReplicasTest, AFrozenLeaderIsFollowedAndCannotPublishWhenItWakesUp) {
  leader_.process.Signal(SIGSTOP);
  const absl::Time frozen = absl::Now();
  EXPECT_EQ(second_.RecalculateAtLast(), 2);
  const absl::Duration took = absl::Now() - frozen;
  EXPECT_LT(took, kFrozenFor);
  Report("SIGSTOP", took);

  leader_.process.Signal(SIGCONT);
  // It can only ask: one generation more, from whoever leads now.
  EXPECT_EQ(leader_.RecalculateAtLast(), 3);
  EXPECT_TRUE(leader_.AwaitLog("does not lead any more"));
  for (Replica* replica : {&second_, &third_}) {
    ASSERT_TRUE(replica->AwaitGeneration(3));
    ExpectSameShares(replica->ListShares(), leader_.ListShares());
  }
}

TEST_F(ReplicasTest, ADatabaseThatDiesAndComesBackNeedsNoRestart) {
  ASSERT_EQ(kill(storage::TestServer().pid(), SIGKILL), 0);
  for (Replica* replica : {&leader_, &second_, &third_}) {
    EXPECT_EQ(replica->ListShares().shares_size(), 211);
  }
  const int64_t generation = third_.RecalculateAtLast();
  EXPECT_GE(generation, 2);
  const v1::ListSharesResponse shares = third_.ListShares();
  for (Replica* replica : {&leader_, &second_}) {
    ASSERT_TRUE(replica->AwaitGeneration(generation));
    ExpectSameShares(replica->ListShares(), shares);
  }
}

}  // namespace
}  // namespace priorityd
