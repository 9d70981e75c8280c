// `prioctl usage void` and `usage restore`, run as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd::prioctl {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
namespace v1 = ::priority::v1;

class UsageVoidTest : public PrioctlTest {
 protected:
  // Answers a preview of 3 records, and voids them in two rounds.
  void AnswerVoids() {
    fake_.void_usage.Answer(
        [](const v1::VoidUsageRequest& request, v1::VoidUsageResponse* response) {
          response->set_records(request.void_id() == 0 && !request.validate_only() ? 2 : 3);
          response->set_usage(1200);
          response->set_done(request.void_id() != 0);
          if (!request.validate_only()) {
            response->set_void_id(4);
            return grpc::Status::OK;
          }
          response->set_rolled_up_records(7);
          response->mutable_ledger_horizon()->set_seconds(0);
          v1::VoidedAccount* account = response->add_accounts();
          account->set_account("physics");
          account->set_records(3);
          return grpc::Status::OK;
        });
  }
};

TEST_F(UsageVoidTest, ItShowsWhatFitsAndAsks) {
  AnswerVoids();
  const std::string error = Failure(1, {"usage", "void", "--source", "s1,s2", "--job", "7", "-u",
                                        "ann", "-A", "physics", "--from", "2026-01-05T00:00:00Z"});
  EXPECT_THAT(error, HasSubstr("physics"));
  EXPECT_THAT(error, HasSubstr("7 records of these accounts, users and times ended before"));
  EXPECT_THAT(error, HasSubstr("Void 3 records, 1200 billing-seconds?"));
  const auto requests = fake_.void_usage.requests();
  ASSERT_EQ(requests.size(), 1u);
  EXPECT_TRUE(requests[0].validate_only());
  const v1::UsageVoidFilter& filter = requests[0].filter();
  EXPECT_EQ(filter.sources_size(), 2);
  EXPECT_EQ(filter.job_ids(0), "7");
  EXPECT_EQ(filter.users(0), "ann");
  EXPECT_EQ(filter.accounts(0), "physics");
  EXPECT_EQ(filter.ended_from().seconds(), 1767571200);
  EXPECT_FALSE(filter.has_ended_before());
}

TEST_F(UsageVoidTest, ItContinuesUntilAllIsVoided) {
  AnswerVoids();
  EXPECT_THAT(Output({"usage", "void", "--source", "s1", "--yes", "--comment", "broken"}),
              StartsWith("void 4: 3 records, 1200 billing-seconds no longer count"));
  const auto requests = fake_.void_usage.requests();
  ASSERT_EQ(requests.size(), 3u);
  EXPECT_TRUE(requests[0].validate_only());
  EXPECT_FALSE(requests[1].validate_only());
  EXPECT_EQ(requests[1].comment(), "broken");
  EXPECT_EQ(requests[2].void_id(), 4);
  EXPECT_EQ(requests[2].filter().sources_size(), 0);
}

TEST_F(UsageVoidTest, WithYesItSaysWhatIsRolledUpAndStays) {
  AnswerVoids();
  const Finished run = Run({"usage", "void", "--source", "s1", "--yes"});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, StartsWith("7 records of these accounts, users and times ended before"));
  EXPECT_THAT(run.out, StartsWith("void 4: 3 records"));
}

TEST_F(UsageVoidTest, AnInterruptedVoidContinuesWithoutAQuestion) {
  AnswerVoids();
  EXPECT_EQ(Run({"usage", "void", "--continue", "4"}).exit_code, 0);
  ASSERT_EQ(fake_.void_usage.requests().size(), 1u);
  EXPECT_EQ(fake_.void_usage.requests()[0].void_id(), 4);
}

TEST_F(UsageVoidTest, WithoutAMatchNothingIsAskedAndNothingIsVoided) {
  fake_.void_usage.Answer([](const v1::VoidUsageRequest& request, v1::VoidUsageResponse* response) {
    response->set_done(!request.validate_only());
    return grpc::Status::OK;
  });
  EXPECT_EQ(Output({"usage", "void", "--source", "nosuch"}),
            "no record matches, and none is voided\n");
  ASSERT_EQ(fake_.void_usage.requests().size(), 1u);
  EXPECT_TRUE(fake_.void_usage.requests()[0].validate_only());
  EXPECT_EQ(Output({"usage", "void", "--source", "nosuch", "--yes"}),
            "no record matches, and none is voided\n");
}

TEST_F(UsageVoidTest, EmptyValuesAndReversedTimesAreRefusedBeforeTheCall) {
  for (const char* option : {"--source", "--job", "--user", "--account"}) {
    EXPECT_THAT(Failure(2, {"usage", "void", option, "", "--yes"}),
                HasSubstr(std::string(option) + ": got an empty value, want a name"));
  }
  for (const std::string what : {"", "recorded-"}) {
    EXPECT_THAT(Failure(2, {"usage", "void", "--" + what + "from", "2026-01-05T01:00:00Z",
                            "--" + what + "to", "2026-01-05T01:00:00Z", "--yes"}),
                HasSubstr("to: got a time not after --" + what + "from, want a later"));
  }
  EXPECT_TRUE(fake_.void_usage.requests().empty());
}

TEST_F(UsageVoidTest, RestoreSaysHowManyAreBack) {
  fake_.restore_usage.Answer([](const auto&, v1::VoidUsageResponse* response) {
    response->set_void_id(4);
    response->set_done(true);
    response->set_records(3);
    response->set_restored_records(2);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"usage", "restore", "--void", "4"}).out,
              StartsWith("void 4: 2 of 3 records restored"));
  EXPECT_EQ(fake_.restore_usage.requests()[0].void_id(), 4);
  EXPECT_EQ(Run({"usage", "restore"}).exit_code, 2);
}

TEST_F(UsageVoidTest, AnErrorBeforeTheFirstRoundIsTheServicesOwn) {
  const grpc::Status unknown(grpc::NOT_FOUND, "void_id: got 9, want a void of the cluster");
  fake_.restore_usage.Answer([&](const auto&, auto*) { return unknown; });
  fake_.void_usage.Answer([&](const auto&, auto*) { return unknown; });
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"usage", "restore", "--void", "9"},
        std::vector<std::string>{"usage", "void", "--continue", "9"}}) {
    EXPECT_THAT(Failure(1, command), StartsWith("prioctl: void_id: got 9, want a void"));
  }
}

TEST_F(UsageVoidTest, AnErrorOfALaterRoundStatesThatTheVoidIsNotAtItsEnd) {
  fake_.restore_usage.Answer([rounds = 0](const auto&, v1::VoidUsageResponse* response) mutable {
    response->set_void_id(9);
    return rounds++ == 0 ? grpc::Status::OK : grpc::Status(grpc::INTERNAL, "disk full");
  });
  EXPECT_THAT(Failure(1, {"usage", "restore", "--void", "9"}),
              StartsWith("prioctl: void 9 is not at its end: disk full"));
}

}  // namespace
}  // namespace priorityd::prioctl
