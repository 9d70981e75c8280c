#include "engine/explanation/explanation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/explanation/explanation.h"
#include "tests/engine/explanation/golden.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::explanation {
namespace {

using testing::Contains;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class ExplanationTextTest : public testing::Test {
 protected:
  ExplanationTextTest() {
    site_.usage = {{"physics/ann", 300}, {"physics/bob", 100}, {"chemistry/cat", 600}};
    policy_.max_age = absl::Hours(4);
  }

  std::vector<std::string> Sentences() {
    snapshot_ = site_.Build();
    ExplainOptions options;
    options.as_of = priority::kNow;
    return Explain(*snapshot_, {job_}, options).value().sentences;
  }

  priority::SmallSite site_;
  priority::Policy& policy_ = site_.source.policy;
  priority::Job job_ = priority::JobOf("1");
  std::unique_ptr<const priority::Snapshot> snapshot_;
};

TEST_F(ExplanationTextTest, TresWithoutAWeightAreNotCounted) {
  policy_.weight_age = 1000;
  policy_.weight_tres = {{"gres/gpu", 5}};
  job_.tres = {{"cpu", 4}, {"mem", 5000}, {"gres/gpu", 1}};
  EXPECT_THAT(Sentences(), Contains(EndsWith("partition, qos, tres/mem.")));
}

TEST_F(ExplanationTextTest, AmountsHaveEveryDigit) {
  policy_.weight_tres = {{"mem", 500}};
  site_.partition("main").tres["mem"] = 2560001;
  site_.partition("main").billing_weights = {{"mem", 1}};
  job_.tres = {{"mem", 1234567}};
  const std::vector<std::string> sentences = Sentences();
  EXPECT_THAT(sentences, Contains(HasSubstr("1234567 of 2560001")));
  EXPECT_THAT(sentences, Contains(HasSubstr("adds 1234567 to its account's usage: billing 1234567 "
                                            "(1234567 mem x 1)")));
}

TEST_F(ExplanationTextTest, AnAccountWithoutSharesIsTheCause) {
  policy_.weight_fair_share = 1000;
  site_.association("physics").raw_shares = 0;
  EXPECT_THAT(Sentences(), Contains(Golden("explanation", "no-shares")));
  site_.association("physics").raw_shares = 60;
  EXPECT_THAT(Sentences(), Not(Contains(HasSubstr("Fairshare=0"))));
}

// ann used .3 of all and half of the .1 of ann's sibling counts: .35. Half of the account's .6 is
// due. F is 2^-(.35/.3/4) = .82, below the 2^-(1/4) = .84 of what is due, though above a half.
TEST_F(ExplanationTextTest, ADampedFairShareSaysSoAndIsComparedWithWhatIsDueInIt) {
  policy_.algorithm = priority::FairShareAlgorithm::kClassic;
  policy_.dampening_factor = 4;
  policy_.weight_fair_share = 1000;
  const std::vector<std::string> sentences = Sentences();
  EXPECT_THAT(sentences, Contains(HasSubstr(
                             "damped: with FairShareDampeningFactor 4 usage counts as if it were "
                             "divided by 4, and F is 0.84 for what is due")));
  EXPECT_THAT(sentences, Contains(HasSubstr("usage of 35.0% and is due 30.0%, so F is 0.82 "
                                            "(over-served), damped")));
}

}  // namespace
}  // namespace priorityd::explanation
