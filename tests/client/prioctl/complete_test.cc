// `prioctl complete`: names of the service for the word that is being typed.
#include <algorithm>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/prioctl/text/calling_user.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_priorityd.h"
#include "tests/client/run_prioctl.h"
#include "tests/sanitizer.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

class CompleteTest : public ::testing::Test {
 protected:
  CompleteTest() {
    server_.list_clusters.Answer([](const auto&, v1::ListClustersResponse* answer) {
      for (const char* name : {"big", "small"}) answer->add_clusters()->set_name(name);
      return grpc::Status::OK;
    });
    server_.list_users.Answer([](const auto&, v1::ListUsersResponse* answer) {
      for (const char* name : {"amy", "ann", "an$(reboot)", "ben"}) {
        answer->add_users()->set_name(name);
      }
      return grpc::Status::OK;
    });
    server_.list_shares.Answer([](const v1::ListSharesRequest& request, auto* answer) {
      EXPECT_TRUE(request.accounts_only());
      for (const char* name : {"root", "chem", "physics"}) {
        answer->add_shares()->set_account(name);
      }
      return grpc::Status::OK;
    });
    server_.list_qos.Answer([](const auto&, v1::ListQosResponse* answer) {
      for (const char* name : {"normal", "night"}) answer->add_qos()->set_name(name);
      return grpc::Status::OK;
    });
    server_.list_partitions.Answer([](const auto&, v1::ListPartitionsResponse* answer) {
      answer->add_partitions()->set_name("gpu");
      return grpc::Status::OK;
    });
    server_.list_grants.Answer([](const auto&, v1::ListGrantsResponse* answer) {
      for (const char* name : {"chem-2026", "phys-q4"}) answer->add_grants()->set_name(name);
      return grpc::Status::OK;
    });
    server_.list_jobs.Answer([](const v1::ListJobsRequest& request, v1::ListJobsResponse* answer) {
      const bool own = request.users_size() > 0;
      EXPECT_EQ(own ? request.users(0) : prioctl::CallingUser(), prioctl::CallingUser());
      for (const char* id : own ? std::vector{"17", "18_2"} : std::vector{"17", "18_2", "99"}) {
        answer->add_jobs()->mutable_job()->set_job_id(id);
      }
      return grpc::Status::OK;
    });
  }

  // What is offered for the last of these words.
  std::string Completed(std::vector<std::string> words) const {
    words.insert(words.begin() + 1, {"--server", server_.address()});
    words.insert(words.begin(), "complete");
    Finished run;
    // On a busy host an answer may take longer than it is waited for, a second.
    for (int tries = 0; tries < 10; ++tries) {
      const absl::Time start = absl::Now();
      run = RunPrioctl(words);
      EXPECT_EQ(run.exit_code, 0);
      EXPECT_EQ(run.err, "");
      if (!run.out.empty() || absl::Now() - start < absl::Milliseconds(900)) break;
    }
    return run.out;
  }

  FakePriorityd server_;
};

TEST_F(CompleteTest, AnOptionSaysWhichNamesFollowIt) {
  EXPECT_EQ(Completed({"prioctl", "queue", "list", "--users", "a"}), "amy\nann\n");
  EXPECT_EQ(Completed({"prioctl", "queue", "list", "-A", ""}), "chem\nphysics\nroot\n");
  EXPECT_EQ(Completed({"prioctl", "explain", "--compare-to-qos", "n"}), "night\nnormal\n");
  EXPECT_EQ(Completed({"prioctl", "explain", "--partition", ""}), "gpu\n");
  EXPECT_EQ(Completed({"prioctl", "rank", "--cluster", "b"}), "big\n");
  EXPECT_EQ(Completed({"squeue", "-M", ""}), "big\nsmall\n");
  EXPECT_EQ(Completed({"sacct", "--uid", "b"}), "ben\n");
}

TEST_F(CompleteTest, SoDoesAnArgument) {
  EXPECT_EQ(Completed({"prioctl", "reset-usage", "p"}), "physics\n");
  EXPECT_EQ(Completed({"prioctl", "cluster", "show", "s"}), "small\n");
  EXPECT_EQ(Completed({"seff", "1"}), "17\n18_2\n");
  EXPECT_EQ(Completed({"scontrol", "hold", "17", ""}), "17\n18_2\n");
  EXPECT_EQ(Completed({"scontrol", "show", "partition", ""}), "gpu\n");
  EXPECT_EQ(Completed({"sacctmgr", "modify", "user", "b"}), "ben\n");
  EXPECT_EQ(Completed({"sacctmgr", "modify", "user", "ben", "set", ""}), "");
}

TEST_F(CompleteTest, GrantsFollowTheirVerbs) {
  EXPECT_EQ(Completed({"prioctl", "grant", "show", ""}), "chem-2026\nphys-q4\n");
  EXPECT_EQ(Completed({"prioctl", "grant", "transfer", "chem-2026", "p"}), "phys-q4\n");
  EXPECT_EQ(Completed({"prioctl", "grant", "update", "chem-2026", "Accounts=ph"}),
            "Accounts=physics\n");
}

TEST_F(CompleteTest, TheWordsBeforeANameAreRepeated) {
  EXPECT_EQ(Completed({"prioctl", "queue", "list", "--users=ben,a"}),
            "--users=ben,amy\n--users=ben,ann\n");
  EXPECT_EQ(Completed({"scontrol", "update", "JobId=1"}), "JobId=17\nJobId=18_2\n");
  EXPECT_EQ(Completed({"squeue", "-u", "ben,am"}), "ben,amy\n");
}

TEST_F(CompleteTest, ExceptThoseThatBashHasDivided) {
  EXPECT_EQ(Completed({"prioctl", "queue", "list", "--users", "="}), "amy\nann\nben\n");
  EXPECT_EQ(Completed({"prioctl", "queue", "list", "--users", "=", "ben,am"}), "ben,amy\n");
  EXPECT_EQ(Completed({"scontrol", "update", "Account", "=", "ch"}), "chem\n");
  // An address, as bash passes it.
  const size_t colon = server_.address().find(':');
  EXPECT_EQ(RunPrioctl({"complete", "squeue", "--server", server_.address().substr(0, colon), ":",
                        server_.address().substr(colon + 1), "-u", "b"})
                .out,
            "ben\n");
}

TEST_F(CompleteTest, OtherWordsAskNobody) {
  EXPECT_EQ(Completed({"prioctl", "ex"}), "");
  EXPECT_EQ(Completed({"prioctl", "rank", "a"}), "");
  EXPECT_EQ(Completed({"prioctl", "rank", "--limit", "1"}), "");
  EXPECT_EQ(Completed({"squeue", "--use"}), "");
  EXPECT_EQ(Completed({"unknown", "--users", "a"}), "");
  EXPECT_TRUE(server_.list_users.requests().empty());
}

TEST_F(CompleteTest, WithoutOwnJobsAllAreOffered) {
  server_.list_jobs.Answer([](const v1::ListJobsRequest& request, v1::ListJobsResponse* answer) {
    if (request.users().empty()) answer->add_jobs()->mutable_job()->set_job_id("99");
    return grpc::Status::OK;
  });
  EXPECT_EQ(Completed({"scancel", ""}), "99\n");
}

TEST_F(CompleteTest, NamesAreOfTheTypedCluster) {
  EXPECT_EQ(Completed({"squeue", "-M", "big", "-q", "ni"}), "night\n");
  const auto asked = server_.list_qos.requests();
  ASSERT_FALSE(asked.empty());
  EXPECT_EQ(asked.back().cluster(), "big");
}

TEST_F(CompleteTest, AnErrorOffersNothing) {
  server_.list_users.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::StatusCode::PERMISSION_DENIED, "not yours");
  });
  EXPECT_EQ(Completed({"squeue", "-u", "a"}), "");
}

TEST(CompleteWithoutServiceTest, NothingIsOfferedAtOnce) {
  if (kIsThreadSanitized) GTEST_SKIP() << "ThreadSanitizer delays the end of a program";
  // A run that waits for a service waits for a second each time.
  absl::Duration shortest = absl::InfiniteDuration();
  for (int i = 0; i < 30 && shortest > absl::Milliseconds(900); ++i) {
    const absl::Time start = absl::Now();
    const Finished run =
        RunPrioctl({"complete", "squeue", "--server", "127.0.0.1:1", "--auth", "none", "-u", "a"});
    shortest = std::min(shortest, absl::Now() - start);
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.out + run.err, "");
  }
  EXPECT_LT(shortest, absl::Milliseconds(900));
}

TEST(CompleteWithoutServiceTest, WrongOptionsOfTheConnectionOfferNothing) {
  EXPECT_EQ(RunPrioctl({"complete", "squeue", "--auth", "magic", "-u", "a"}).out, "");
}

TEST(CompleteWithoutServiceTest, AServiceThatHangsIsGivenUp) {
  absl::Notification given_up;
  FakePriorityd server;
  server.list_users.Answer([&](const auto&, auto*) {
    given_up.WaitForNotification();
    return grpc::Status::OK;
  });
  EXPECT_EQ(RunPrioctl({"complete", "squeue", "--server", server.address(), "-u", "a"}).out, "");
  given_up.Notify();
}

}  // namespace
}  // namespace priorityd
