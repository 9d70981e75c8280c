#include "engine/explanation/grant_lint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

using priority::GrantConsequence;
using priority::GrantStanding;
using testing::ElementsAre;
using testing::IsEmpty;

class GrantLintTest : public testing::Test {
 protected:
  GrantLintTest() { site_.source.policy.weight_qos = 1000; }

  GrantStanding& AddGrant(const char* name, GrantConsequence consequence, double used = 0) {
    GrantStanding& grant = site_.source.grants.emplace_back();
    grant.name = name;
    grant.accounts = {"physics"};
    grant.tres = "cpu";
    grant.available = 60;
    grant.used = used;
    grant.until = absl::InfiniteFuture();
    grant.consequence = consequence;
    return grant;
  }
  std::vector<std::string> Findings() {
    const auto snapshot = site_.Build();
    std::vector<std::string> findings;
    for (const PolicyFinding& finding : LintGrants(*snapshot, jobs_, priority::kNow)) {
      EXPECT_EQ(finding.parameter, "");
      findings.push_back(absl::StrCat(finding.code, " ", finding.message));
    }
    return findings;
  }

  priority::SmallSite site_;
  std::vector<priority::Job> jobs_;
};

TEST_F(GrantLintTest, AGrantWithSomethingLeftIsNoFinding) {
  EXPECT_THAT(Findings(), IsEmpty());
  AddGrant("q4", GrantConsequence::kBlock, 59);
  EXPECT_THAT(Findings(), IsEmpty());
}

// Whether they end, or name an account that this cluster lacks, is the domain's concern.
TEST_F(GrantLintTest, GrantsOfADomainAreFindingsOnlyWhereTheyAreInEffect) {
  GrantStanding& lacking = AddGrant("old", GrantConsequence::kWarn);
  lacking.domain = "site";
  lacking.accounts = {"gone"};
  lacking.ends = true;
  EXPECT_THAT(Findings(), IsEmpty());
  AddGrant("q4", GrantConsequence::kBlock, 60).domain = "site";
  EXPECT_THAT(Findings(),
              ElementsAre("GRANTS_IN_EFFECT Of grant q4 of domain site: what was granted is used "
                          "up, and the consequence is in effect for 2 of 3 users."));
}

// ann and bob are of physics, cat of chemistry.
TEST_F(GrantLintTest, UsedUpGrantsAreNamedWithTheUsersAndJobsThatTheyHold) {
  AddGrant("q4", GrantConsequence::kBlock, 60);
  EXPECT_THAT(Findings(),
              ElementsAre("GRANTS_IN_EFFECT Of grant q4: what was granted is used up, and the "
                          "consequence is in effect for 2 of 3 users."));
  jobs_.push_back(priority::JobOf("1"));
  jobs_[0].array_tasks = 4;
  jobs_.push_back(priority::JobOf("2"));
  jobs_[1].user = "cat";
  jobs_[1].account = "chemistry";
  AddGrant("all", GrantConsequence::kRefuse, 60).accounts = {"root"};
  EXPECT_THAT(
      Findings(),
      ElementsAre("GRANTS_IN_EFFECT Of grants q4, all: what was granted is used up, and the "
                  "consequence is in effect for 3 of 3 users and 5 of 5 pending jobs."));
  site_.source.grants.clear();
  AddGrant("q4", GrantConsequence::kBlock, 60);
  EXPECT_THAT(Findings(),
              ElementsAre("GRANTS_IN_EFFECT Of grant q4: what was granted is used up, and the "
                          "consequence is in effect for 2 of 3 users and 4 of 5 pending jobs."));
}

TEST_F(GrantLintTest, AnOwnerThatDoesNotExistIsAFinding) {
  AddGrant("a", GrantConsequence::kBlock).accounts = {"gone"};
  AddGrant("b", GrantConsequence::kBlock).user = "cat";
  EXPECT_THAT(Findings(),
              ElementsAre("GRANT_OWNER_UNKNOWN Of grants a, b: no account or user of it exists: it "
                          "holds for nobody."));
}

TEST_F(GrantLintTest, AConsequenceThatCanLowerNothingIsAFinding) {
  AddGrant("top", GrantConsequence::kDemote).demoted_qos = "high";
  AddGrant("low", GrantConsequence::kDemote).demoted_qos = "low";
  AddGrant("whole", GrantConsequence::kReduce).measure.most = 1;
  AddGrant("half", GrantConsequence::kReduce).measure.most = 0.5;
  GrantStanding& age = AddGrant("age", GrantConsequence::kReduce);
  age.measure.factor = priority::ReducedFactor::kAge;
  AddGrant("band", GrantConsequence::kBand).measure.most = 4294967295;
  site_.source.policy.weight_age = 0;
  EXPECT_THAT(Findings(), ElementsAre("GRANT_WITHOUT_EFFECT Of grants top, whole, age, band: its "
                                      "consequence can lower no priority under this policy."));
  site_.source.policy.weight_age = 1;
  site_.source.policy.weight_qos = 0;
  EXPECT_THAT(Findings(), ElementsAre("GRANT_WITHOUT_EFFECT Of grants top, low, whole, band: its "
                                      "consequence can lower no priority under this policy."));
}

TEST_F(GrantLintTest, AnEndWithoutASuccessorIsAFinding) {
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    AddGrant(name, GrantConsequence::kBlock).ends = true;
  }
  EXPECT_THAT(
      Findings(),
      ElementsAre("GRANT_ENDS Of grants a, b, c, d, e and 2 more: after its end none of the "
                  "same owner follows, and nobody is held."));
}

}  // namespace
}  // namespace priorityd::explanation
