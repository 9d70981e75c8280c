#include "engine/priority/site/billing.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace priorityd::priority {
namespace {

constexpr double kGigabyte = 1024;  // In the base unit, MB.

// TRESBillingWeights=CPU=1.0,Mem=0.25G
TresMap DocumentWeights() { return {{"cpu", 1.0}, {"mem", 0.25 / kGigabyte}}; }

TresMap CpusAndGigabytes(double cpus, double gigabytes) {
  return {{"cpu", cpus}, {"mem", gigabytes * kGigabyte}};
}

// The examples of Slurm 25.11's document.

TEST(BillingTest, TheDocumentsJobsBySum) {
  const auto bill = [](double cpus, double gigabytes) {
    return Billing(BillingRule::kSum, DocumentWeights(), CpusAndGigabytes(cpus, gigabytes));
  };
  EXPECT_DOUBLE_EQ(bill(1, 60), 16);
  EXPECT_DOUBLE_EQ(bill(16, 1), 16.25);
  EXPECT_DOUBLE_EQ(bill(16, 60), 31);
}

TEST(BillingTest, TheDocumentsJobsByMax) {
  const auto bill = [](double cpus, double gigabytes) {
    return Billing(BillingRule::kMaxTres, DocumentWeights(), CpusAndGigabytes(cpus, gigabytes));
  };
  EXPECT_DOUBLE_EQ(bill(1, 60), 15);
  EXPECT_DOUBLE_EQ(bill(15, 1), 15);
  EXPECT_DOUBLE_EQ(bill(16, 64), 16);
}

// UMich's guide: 1 CPU, 8 GB, 1 GPU for 10 minutes.

TresMap GuideJob() { return {{"cpu", 1}, {"mem", 8192}, {"gres/gpu", 1}}; }

TEST(BillingTest, TheGuidesJobWithMemoryPerGigabyte) {
  const TresMap weights = {{"cpu", 1.0}, {"mem", 0.25 / kGigabyte}, {"gres/gpu", 2.0}};
  const double billing = Billing(BillingRule::kSum, weights, GuideJob());
  EXPECT_DOUBLE_EQ(billing, 5);
  EXPECT_DOUBLE_EQ(billing * 10, 50);
}

TEST(BillingTest, TheGuidesJobWithMemoryPerMegabyte) {
  const TresMap weights = {{"cpu", 1.0}, {"mem", 0.25}, {"gres/gpu", 2.0}};
  EXPECT_DOUBLE_EQ(Billing(BillingRule::kSum, weights, GuideJob()) * 10, 20510);
}

TEST(BillingTest, WithoutWeightsTheCpusAreBilled) {
  const BillingRule rule = BillingRuleFor(Policy(), {});
  EXPECT_EQ(rule, BillingRule::kCpu);
  EXPECT_EQ(Billing(rule, {}, CpusAndGigabytes(12, 500)), 12);
  EXPECT_EQ(Billing(rule, {}, {{"cpu", 0.25}}), 0.25);
  EXPECT_EQ(Billing(rule, {}, {}), 0);
}

TEST(BillingTest, MaxTresGresBeatsMaxTres) {
  Policy policy;
  EXPECT_EQ(BillingRuleFor(policy, DocumentWeights()), BillingRule::kSum);
  policy.max_tres = true;
  EXPECT_EQ(BillingRuleFor(policy, DocumentWeights()), BillingRule::kMaxTres);
  policy.max_tres_gres = true;
  EXPECT_EQ(BillingRuleFor(policy, DocumentWeights()), BillingRule::kMaxTresGres);
  EXPECT_EQ(BillingRuleFor(policy, {}), BillingRule::kCpu);
}

TresMap MixedWeights() {
  return {{"cpu", 1},           {"node", 10},         {"gres/gpu", 8},
          {"gres/gpu:a100", 4}, {"license/ansys", 3}, {"bb/cray", 2}};
}

TresMap MixedJob() {
  return {{"cpu", 6},           {"node", 1},          {"gres/gpu", 2},
          {"gres/gpu:a100", 2}, {"license/ansys", 2}, {"bb/cray", 1}};
}

TEST(BillingTest, GlobalTresAreAddedToTheLargestOfANode) {
  // max(6, 10, 16, 8) + 6 + 2.
  EXPECT_EQ(Billing(BillingRule::kMaxTres, MixedWeights(), MixedJob()), 24);
}

TEST(BillingTest, MaxTresGresAddsTheGresToo) {
  // max(6, 10) + 16 + 8 + 6 + 2.
  EXPECT_EQ(Billing(BillingRule::kMaxTresGres, MixedWeights(), MixedJob()), 42);
}

TEST(BillingTest, NegativeWeightsNeverMakeTheLargestNegative) {
  EXPECT_EQ(Billing(BillingRule::kMaxTres, {{"cpu", -1}}, {{"cpu", 5}}), 0);
  EXPECT_EQ(Billing(BillingRule::kSum, {{"cpu", -1}}, {{"cpu", 5}}), -5);
}

TEST(BillingTest, BillingIsNoTermOfItself) {
  EXPECT_EQ(Billing(BillingRule::kSum, {{"billing", 7}, {"cpu", 1}}, {{"billing", 9}, {"cpu", 2}}),
            2);
}

TEST(BillingTest, RatesBillWhatTheWeightsOfEachPartitionSay) {
  std::vector<Partition> partitions(4);
  partitions[0].billing_weights = MixedWeights();
  partitions[1].billing_weights = DocumentWeights();
  partitions[2].billing_weights = {{"billing", 7}};
  for (const BillingRule rule :
       {BillingRule::kSum, BillingRule::kMaxTres, BillingRule::kMaxTresGres}) {
    Policy policy;
    policy.max_tres = rule == BillingRule::kMaxTres;
    policy.max_tres_gres = rule == BillingRule::kMaxTresGres;
    const BillingRates rates(policy, partitions);
    for (const TresMap& job : {MixedJob(), GuideJob(), TresMap()}) {
      std::vector<double> counts;
      for (const std::string& tres : rates.tres()) {
        counts.push_back(job.contains(tres) ? job.at(tres) : 0);
      }
      for (int i = 0; i < 4; ++i) {
        const TresMap& weights = partitions[i].billing_weights;
        EXPECT_EQ(rates.Of(i, counts), Billing(BillingRuleFor(policy, weights), weights, job));
      }
      EXPECT_EQ(rates.Of(-1, counts), Billing(BillingRule::kCpu, {}, job));
    }
  }
}

TEST(BillingTest, TheTermsThatCountMakeTheResult) {
  for (const BillingRule rule :
       {BillingRule::kSum, BillingRule::kMaxTres, BillingRule::kMaxTresGres, BillingRule::kCpu}) {
    std::vector<BillingTerm> terms;
    const double billing = Billing(rule, MixedWeights(), MixedJob(), &terms);
    double counted = 0;
    for (const BillingTerm& term : terms) {
      EXPECT_EQ(term.value, term.count * term.weight);
      if (term.counted) counted += term.value;
    }
    EXPECT_EQ(counted, billing) << BillingRuleName(rule);
  }
}

}  // namespace
}  // namespace priorityd::priority
