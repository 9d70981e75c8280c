// prioctl what-if and policy diff.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class WhatIfTest : public PrioctlTest {
 protected:
  WhatIfTest() {
    fake_.simulate.Answer([](const auto& request, v1::SimulateResponse* response) {
      v1::SimulatedRow* row = response->add_rows();
      row->set_job_id("17");
      row->set_user("ann");
      row->set_account("physics");
      SetPlace(5, 1000, 400, row->mutable_before());
      SetPlace(2, 1250, 700, row->mutable_after());
      row->mutable_after()->mutable_contributions()->set_age(50);
      row->mutable_before()->mutable_contributions()->set_age(100);
      row = response->add_rows();
      row->set_job_id("18");
      SetPlace(1, 2000, 1, row->mutable_before());
      row->mutable_after()->set_ineligible_reason("PartitionDown");
      response->set_rows_total(7);
      response->set_moved_up(6);
      response->set_moved_down(1);
      response->set_unmoved(1200);
      if (request.has_policy_text()) {
        v1::ParameterChange* change = response->add_policy_changes();
        change->set_parameter("PriorityWeightAge");
        change->set_before("0");
        change->set_after("1000");
      }
      *response->mutable_as_of() = request.as_of();
      *response->mutable_later() = request.has_later() ? request.later() : request.as_of();
      return grpc::Status::OK;
    });
  }

  static void SetPlace(uint32_t rank, uint32_t priority, double fair_share,
                       v1::SimulatedPlace* place) {
    place->set_rank(rank);
    place->set_priority(priority);
    place->mutable_contributions()->set_fair_share(fair_share);
  }

  v1::SimulateRequest Asked() { return fake_.simulate.requests().back(); }
};

TEST_F(WhatIfTest, PrintsMovedJobsAndTheDecidingFactor) {
  EXPECT_THAT(Output({"what-if"}),
              AllOf(ContainsRegex("17 +ann +physics +5 +2 +up 3 +1000 +1250 +fair-share \\+300"),
                    ContainsRegex("18 +1 +PartitionDown +cannot start +2000 +-"),
                    HasSubstr("(2 of 7 rows)"),
                    HasSubstr("Of 1,207 rows 6 would start earlier, 1 later, 1,200 keep their "
                              "place.\n")));
  EXPECT_TRUE(Asked().has_tracked());
  EXPECT_TRUE(Asked().moved_only());
  EXPECT_FALSE(Asked().has_policy_text());
}

TEST_F(WhatIfTest, ForecastsAreOfBothPlaces) {
  fake_.simulate.Answer([](const auto& request, v1::SimulateResponse* response) {
    EXPECT_TRUE(request.with_forecasts());
    EXPECT_EQ(request.limit(), 100u);
    v1::SimulatedRow& row = *response->add_rows();
    row.set_job_id("17");
    SetPlace(5, 1000, 0, row.mutable_before());
    SetPlace(2, 1250, 0, row.mutable_after());
    response->mutable_as_of()->set_seconds(1000);
    for (v1::SimulatedPlace* place : {row.mutable_before(), row.mutable_after()}) {
      const int wait = place->rank() == 5 ? 9 * 3600 : 35 * 60;
      place->mutable_start_interval()->mutable_q50_time()->set_seconds(1000 + wait);
    }
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"what-if", "--forecast"}), ContainsRegex("17 .* 5 +2 +9 h 0 min +35 min"));
}

TEST_F(WhatIfTest, SuppositionsAreSentAsTheyAreGiven) {
  const std::string policy = WriteFile("next.conf", "PriorityWeightAge=1000\n");
  const std::string out = Output(
      {"what-if", "-", "--policy", policy, "--shares", "physics=7", "--shares",
       "physics:ann=parent", "--usage", "bio:bob:main=1e6", "--as-of", "2026-01-05T00:00:00Z",
       "--later", "2026-01-06T00:00:00Z", "--limit", "9", "--all", "--best-only"},
      kTwoJobs);
  const v1::SimulateRequest asked = Asked();
  EXPECT_EQ(asked.jobs().jobs_size(), 2);
  EXPECT_EQ(asked.policy_text(), "PriorityWeightAge=1000\n");
  EXPECT_EQ(asked.policy_file_name(), policy);
  ASSERT_EQ(asked.shares_size(), 2);
  EXPECT_EQ(asked.shares(0).account(), "physics");
  EXPECT_EQ(asked.shares(0).user(), "");
  EXPECT_EQ(asked.shares(0).raw_shares(), 7u);
  EXPECT_EQ(asked.shares(1).user(), "ann");
  EXPECT_TRUE(asked.shares(1).parent_shares());
  ASSERT_EQ(asked.usage_size(), 1);
  EXPECT_EQ(asked.usage(0).partition(), "main");
  EXPECT_EQ(asked.usage(0).usage(), 1e6);
  EXPECT_EQ(asked.later().seconds() - asked.as_of().seconds(), 86400);
  EXPECT_EQ(asked.limit(), 9u);
  EXPECT_FALSE(asked.moved_only());
  EXPECT_TRUE(asked.best_only());
  EXPECT_THAT(out, AllOf(ContainsRegex("PriorityWeightAge +0 +1000"),
                         HasSubstr("supposed 2026-01-06T00:00:00")));
}

TEST_F(WhatIfTest, ALengthOfTimeCountsFromThePresentOfTheService) {
  fake_.rank_jobs.Answer([](const auto&, v1::RankJobsResponse* response) {
    response->mutable_as_of()->set_seconds(1000);
    return grpc::Status::OK;
  });
  const std::pair<const char*, int64_t> lengths[] = {{"7-0", 604800},     {"1-12:30", 131400},
                                                     {"12:00:00", 43200}, {"90", 5400},
                                                     {"36h", 129600},     {"0", 0}};
  for (const auto& [text, seconds] : lengths) {
    Output({"what-if", "--later", text});
    EXPECT_EQ(Asked().as_of().seconds(), 1000);
    EXPECT_EQ(Asked().later().seconds(), 1000 + seconds) << text;
  }
}

TEST_F(WhatIfTest, JsonIsOneDocument) {
  EXPECT_THAT(Output({"what-if", "--json"}), AllOf(IsOneLine(), HasSubstr("\"movedUp\":6")));
}

TEST_F(WhatIfTest, ATransferOfHoursIsSentInMinutes) {
  fake_.simulate.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.list_grants.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"what-if", "--transfer", "chem-2026 phys-2026 2.5h"}).exit_code, 0);
  ASSERT_EQ(Asked().grant_transfers_size(), 1);
  EXPECT_EQ(Asked().grant_transfers(0).from(), "chem-2026");
  EXPECT_EQ(Asked().grant_transfers(0).to(), "phys-2026");
  EXPECT_EQ(Asked().grant_transfers(0).amount_minutes(), 150);
}

TEST_F(WhatIfTest, ATransferOfMoneyIsSentWithAllItsDigits) {
  fake_.simulate.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.list_grants.Answer([](const auto& request, v1::ListGrantsResponse* response) {
    if (request.names(0) == "none") return grpc::Status(grpc::NOT_FOUND, "no such grant");
    response->add_grants()->set_currency(request.names(0) == "chem" ? "EUR" : "");
    return grpc::Status::OK;
  });
  EXPECT_EQ(Run({"what-if", "--transfer", "chem phys 200.500000000000000001", "--transfer",
                 "cpu phys 200.5", "--transfer", "none phys 2h"})
                .exit_code,
            0);
  ASSERT_EQ(Asked().grant_transfers_size(), 3);
  EXPECT_EQ(Asked().grant_transfers(0).amount_tres_seconds(), "721800.0000000000000036");
  EXPECT_EQ(Asked().grant_transfers(0).amount_minutes(), 0);
  EXPECT_EQ(Asked().grant_transfers(1).amount_minutes(), 200.5);
  EXPECT_EQ(Asked().grant_transfers(2).amount_minutes(), 120);
  EXPECT_THAT(Failure(2, {"what-if", "--transfer", "chem phys 2h"}),
              AllOf(HasSubstr("--transfer: chem: got \"2h\", want an amount of the currency"),
                    IsOneLine()));
}

TEST_F(WhatIfTest, WrongSuppositionsAreReportedInOneLine) {
  for (const char* text : {"physics", "=3", "a:b:c:d=1", "physics=many", "physics=-1"}) {
    EXPECT_THAT(Failure(2, {"what-if", "--shares", text}),
                AllOf(HasSubstr(text), HasSubstr("=N, or =parent"), IsOneLine()));
  }
  for (const char* text : {"physics=-1", "physics=inf", "physics=parent", "physics="}) {
    EXPECT_THAT(Failure(2, {"what-if", "--usage", text}),
                AllOf(HasSubstr(text), HasSubstr("=BILLING_SECONDS"), IsOneLine()));
  }
  for (const char* text : {"a b", "a b none", "a b 0", "a b c 5"}) {
    EXPECT_THAT(Failure(2, {"what-if", "--transfer", text}),
                AllOf(HasSubstr(text), HasSubstr("FROM TO AMOUNT"), IsOneLine()));
  }
  for (const char* text : {"soon", "1:2:3:4", "-1h", "x-1"}) {
    EXPECT_THAT(Failure(2, {"what-if", absl::StrCat("--later=", text)}),
                AllOf(HasSubstr("want a length of time"), IsOneLine()));
  }
  EXPECT_TRUE(fake_.simulate.requests().empty());
}

TEST_F(WhatIfTest, WhatTheServiceRefusesIsNamedByItsOption) {
  fake_.simulate.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::INVALID_ARGUMENT, "shares[1].account: got x, want an account");
  });
  EXPECT_EQ(Run({"what-if", "--shares", "a=1", "--shares", "x=1"}).err,
            "prioctl: --shares: account: got x, want an account\n");
}

TEST_F(WhatIfTest, PolicyDiffPrintsParametersThenMovedJobs) {
  WriteFile("more.conf", "PriorityWeightAge=1000\n");
  const std::string file =
      WriteFile("slurm.conf", "PriorityMaxAge=7-0\nInclude more.conf\nPriorityFavorSmall=NO\n");
  const std::string out = Output({"policy", "diff", file, "--limit", "5"});
  EXPECT_LT(out.find("PriorityWeightAge"), out.find("JOBID"));
  EXPECT_THAT(out, HasSubstr("IN FORCE"));
  EXPECT_EQ(Asked().policy_text(),
            "PriorityMaxAge=7-0\nPriorityWeightAge=1000\nPriorityFavorSmall=NO\n");
  EXPECT_EQ(Asked().limit(), 5u);
  EXPECT_TRUE(Asked().has_tracked());
  EXPECT_THAT(Run({"policy", "diff", file, "--json"}).out,
              AllOf(IsOneLine(), HasSubstr("\"policyChanges\":[{")));
}

TEST_F(WhatIfTest, APolicyWithoutLinesIsRefused) {
  for (const char* text : {"", "\n", "# of next year\n"}) {
    const std::string file = WriteFile("empty.conf", text);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"policy", "diff", file}, {"what-if", "--policy", file}}) {
      const Finished run = Run(words);
      EXPECT_EQ(run.exit_code, 1) << text;
      EXPECT_THAT(run.err, HasSubstr("empty.conf: got no lines, want lines that are not comments"));
    }
  }
}

TEST_F(WhatIfTest, AnIncludeThatIncludesItselfIsRefused) {
  WriteFile("loop.conf", "Include loop.conf\n");
  EXPECT_THAT(Failure(1, {"policy", "diff", WriteFile("slurm.conf", "Include loop.conf\n")}),
              AllOf(HasSubstr("loop.conf line 1"), IsOneLine()));
}

TEST_F(WhatIfTest, AnErrorOfAGrantNamesTheOptionThatSupposesIt) {
  fake_.simulate.Answer([](const v1::SimulateRequest& request, auto*) {
    return grpc::Status(grpc::NOT_FOUND, absl::StrCat("grants[", request.grants_size() - 1,
                                                      "].name: got \"nosuch\""));
  });
  EXPECT_THAT(Run({"what-if", "--grant", "q4 Amount=1h", "--revoke-grant", "nosuch"}).err,
              HasSubstr("--revoke-grant: name: got \"nosuch\""));
  EXPECT_THAT(Run({"what-if", "--grant", "nosuch Amount=1h"}).err,
              HasSubstr("--grant: name: got \"nosuch\""));
}

TEST_F(WhatIfTest, AGrantIsSentInItsWordsAndItsEffectIsPrinted) {
  fake_.simulate.Answer([](const auto&, v1::SimulateResponse* response) {
    v1::SupposedGrantEffect* effect = response->add_grant_effects();
    effect->add_accounts("chem");
    effect->add_accounts("phys");
    effect->set_tres("cpu");
    effect->mutable_after()->set_text("grant q4 is used up at once: more");
    v1::GrantedUser* user = effect->mutable_after()->add_users();
    user->set_account("chem");
    user->set_user("ann");
    user->set_pending_jobs(1200);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"what-if", "--grant", "q4 Accounts+=phys Amount=100h Consequence=demote:low",
                      "--revoke-grant", "old"}),
              HasSubstr("grants of chem,phys, TRES cpu:\n"
                        "  before: no grant with a consequence is in force\n"
                        "  after: grant q4 is used up at once: more\n"
                        "    ann in chem: 1,200 pending jobs\n"));
  ASSERT_EQ(Asked().grants_size(), 2);
  const v1::SupposedGrant grant = Asked().grants(0);
  EXPECT_EQ(grant.name(), "q4");
  ASSERT_EQ(grant.settings_size(), 3);
  EXPECT_EQ(grant.settings(0).operator_(), v1::SETTING_OPERATOR_ADD);
  EXPECT_EQ(grant.settings(2).value(), "demote:low");
  EXPECT_EQ(Asked().grants(1).name(), "old");
  EXPECT_TRUE(Asked().grants(1).revoked());
}

TEST_F(WhatIfTest, AGrantNeedsANameAndSettings) {
  for (const char* text : {"q4", "Amount=1", "q4 Amount", "", "q4 'Amount=1"}) {
    const Finished run = Run({"what-if", "--grant", text});
    EXPECT_NE(run.exit_code, 0) << text;
    EXPECT_THAT(run.err, HasSubstr("want \"NAME SETTING=VALUE...\"")) << text;
  }
}

TEST_F(WhatIfTest, AnEmptyQueueAndAPolicyThatChangesNothingAreSaid) {
  fake_.simulate.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Output({"policy", "diff", "-"}, "PriorityMaxAge=7-0\n"),
              AllOf(HasSubstr("no parameter is another than in force\n"),
                    HasSubstr("The queue has no pending jobs.\n"), Not(HasSubstr("JOBID"))));
}

}  // namespace
}  // namespace priorityd
