// Decay and resets against what slurmctld 22.05 did, as a formula: its numbers
// are those of a naive model of Slurm, ours are the exact integral, and the two
// differ by what the model predicts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/priority/fair_share/association_tree.h"
#include "engine/priority/fair_share/fair_share.h"
#include "engine/priority/fair_share/usage_decay.h"
#include "engine/priority/site/policy.h"
#include "tests/oracle/tsv.h"

namespace priorityd {
namespace {

std::vector<TsvRow> ReadDecayTable(const char* name) {
  return ReadTsv(absl::StrCat("tests/oracle/decay/", name, ".tsv"));
}

absl::Time TimeOf(const TsvRow& row, const std::string& column) {
  return absl::FromUnixSeconds(IntegerOf(row.at(column)));
}

// What Slurm keeps of usage after so many seconds: (1 - 0.693/HL) to their power.
double SlurmFactor(double half_life_s, double seconds) {
  return half_life_s == 0 ? 1 : std::pow(1 - 0.693 / half_life_s, seconds);
}

double ExactFactor(double half_life_s, double seconds) {
  return half_life_s == 0 ? 1 : std::exp2(-seconds / half_life_s);
}

priority::UsageDecay DecayWith(double half_life_s) {
  const priority::HalfLifeChange only{absl::InfinitePast(), absl::Seconds(half_life_s)};
  return priority::UsageDecay(absl::MakeConstSpan(&only, 1), priority::ResetRule());
}

void ExpectClose(double got, double want, double relative) {
  EXPECT_LE(std::abs(got - want), relative * std::abs(want)) << got << ", want " << want;
}

// The seconds that Slurm decayed over: those that were arranged, or one more where
// its first pass came a second later.
double PassSeconds(const TsvRow& row) {
  const double half_life_s = NumberOf(row.at("half_life_s"));
  const double arranged = NumberOf(row.at("elapsed_s"));
  const double factor = NumberOf(row.at("factor"));
  const auto error = [&](double seconds) {
    return std::abs(factor - SlurmFactor(half_life_s, seconds));
  };
  return error(arranged + 1) < error(arranged) ? arranged + 1 : arranged;
}

TEST(DecayGridTest, SlurmsFactorIsThatOfItsFormula) {
  for (const TsvRow& row : ReadDecayTable("grid")) {
    const double want = SlurmFactor(NumberOf(row.at("half_life_s")), PassSeconds(row));
    // Slurm logs 15 decimals.
    EXPECT_LE(std::abs(NumberOf(row.at("factor")) - want), 1e-14) << row.at("half_life_s");
    EXPECT_LE(std::abs(NumberOf(row.at("u1")) - 1e15 * want), 1 + 1e15 * 1e-13);
    EXPECT_LE(std::abs(NumberOf(row.at("u2")) - 12345.678 * want), 1);
  }
}

TEST(DecayGridTest, OursIsExactAndDiffersFromSlurmsAsTheFormulasDo) {
  const absl::Time end = absl::FromUnixSeconds(1795178000);
  for (const TsvRow& row : ReadDecayTable("grid")) {
    const double half_life_s = NumberOf(row.at("half_life_s"));
    const double elapsed_s = PassSeconds(row);
    const double ours = DecayWith(half_life_s).Carry(1e15, end - absl::Seconds(elapsed_s), end);
    const double exact = 1e15 * ExactFactor(half_life_s, elapsed_s);
    if (exact < std::numeric_limits<double>::min()) {
      EXPECT_EQ(ours, 0);
      continue;
    }
    ExpectClose(ours, exact, 1e-12);
    const double predicted =
        SlurmFactor(half_life_s, elapsed_s) / ExactFactor(half_life_s, elapsed_s);
    EXPECT_LE(std::abs(NumberOf(row.at("u1")) - ours * predicted), 1 + 1e15 * 1e-13);
  }
}

// One user of a captured series, followed event by event.
struct Follower {
  double slurm = 0;  // By the model of Slurm.
  double start_usage = 0;
  absl::Time last_decay;
  absl::Time charged_until;
  struct Stretch {
    double rate;
    absl::Time start, end;
    double pass_seconds = 0;  // What the passes since it was charged decayed over.
  };
  std::vector<Stretch> stretches;
};

struct Series {
  double half_life_s = 0;
  std::map<std::string, Follower> users;
};

std::map<std::string, Series> ReadStarts() {
  std::map<std::string, Series> all;
  for (const TsvRow& row : ReadDecayTable("start")) {
    Series& series = all[row.at("series")];
    series.half_life_s = NumberOf(row.at("half_life_s"));
    Follower& user = series.users[row.at("user")];
    user.slurm = user.start_usage = NumberOf(row.at("start_usage"));
    // Without decay the log names no pass; then the moment does not matter.
    user.last_decay = row.at("last_decay").empty() ? absl::FromUnixSeconds(1795178755)
                                                   : TimeOf(row, "last_decay");
    if (!row.at("job_start").empty()) user.charged_until = TimeOf(row, "job_start");
  }
  return all;
}

// What `user` used, counted exactly at `at` by integrating in small steps.
double NaiveIntegral(const Follower& user, double half_life_s, absl::Time at) {
  double sum =
      user.start_usage * ExactFactor(half_life_s, absl::ToDoubleSeconds(at - user.last_decay));
  for (const Follower::Stretch& stretch : user.stretches) {
    constexpr int kSteps = 2000;  // Midpoint rule: the error is (step/HL)^2 / 50.
    const double step = absl::ToDoubleSeconds(stretch.end - stretch.start) / kSteps;
    const double age = absl::ToDoubleSeconds(at - stretch.start);
    for (int i = 0; i < kSteps; ++i) {
      sum += stretch.rate * step * ExactFactor(half_life_s, age - (i + 0.5) * step);
    }
  }
  return sum;
}

double Ours(const Follower& user, const priority::UsageDecay& decay, absl::Time at) {
  double sum = decay.Carry(user.start_usage, user.last_decay, at);
  for (const Follower::Stretch& stretch : user.stretches) {
    sum += decay.Interval(stretch.rate, stretch.start, stretch.end, at);
  }
  return sum;
}

class DecaySeriesTest : public ::testing::TestWithParam<const char*> {
 protected:
  DecaySeriesTest() : series_(ReadStarts().at(GetParam())) {
    for (TsvRow& row : ReadDecayTable("series")) {
      if (row.at("series") == GetParam()) events_.push_back(std::move(row));
    }
  }

  // Slurm's pass: all usage so far decays.
  void Pass(const TsvRow& row) {
    const double seconds = NumberOf(row.at("seconds"));
    const double factor = SlurmFactor(series_.half_life_s, seconds);
    EXPECT_LE(std::abs(NumberOf(row.at("factor")) - factor), 1e-14);
    for (auto& [name, user] : series_.users) {
      user.slurm *= factor;
      for (Follower::Stretch& stretch : user.stretches) stretch.pass_seconds += seconds;
    }
    end_ = TimeOf(row, "t");
  }

  // Slurm's charge for a running job: a lump, decayed over its own length.
  void Charge(const TsvRow& row) {
    Follower& user = series_.users.at(row.at("user"));
    const double seconds = NumberOf(row.at("seconds"));
    const double rate = NumberOf(row.at("billing")) * NumberOf(row.at("usage_factor"));
    const double lump = rate * seconds * SlurmFactor(series_.half_life_s, seconds);
    EXPECT_LE(std::abs(NumberOf(row.at("added")) - lump), 1e-6);
    user.slurm += lump;
    // Logged with 6 decimals; the sums are those of long doubles.
    EXPECT_LE(std::abs(NumberOf(row.at("raw_usage")) - user.slurm), 1e-6 + 1e-14 * user.slurm);
    const absl::Time start = user.charged_until;
    user.charged_until += absl::Seconds(seconds);
    user.stretches.push_back({rate, start, user.charged_until});
    end_ = std::max(end_, TimeOf(row, "t"));
  }

  void Follow() {
    for (const TsvRow& row : events_) row.at("event") == "pass" ? Pass(row) : Charge(row);
  }

  Series series_;
  std::vector<TsvRow> events_;
  absl::Time end_ = absl::InfinitePast();
};

TEST_P(DecaySeriesTest, EveryPassAndChargeIsThatOfSlurmsFormula) {
  Follow();
  EXPECT_GE(events_.size(), 18u);
}

TEST_P(DecaySeriesTest, WhatSshareShowedIsTheModelTruncated) {
  const std::vector<TsvRow> samples = ReadDecayTable("samples");
  size_t event = 0;
  for (const TsvRow& sample : samples) {
    if (sample.at("series") != GetParam()) continue;
    for (; event < events_.size() && TimeOf(events_[event], "t") <= TimeOf(sample, "t"); ++event) {
      events_[event].at("event") == "pass" ? Pass(events_[event]) : Charge(events_[event]);
    }
    const double slurm = series_.users.at(sample.at("user")).slurm;
    EXPECT_LE(std::abs(NumberOf(sample.at("raw_usage")) - std::floor(slurm)), 1 + 1e-14 * slurm)
        << sample.at("user") << " at " << sample.at("t");
  }
  EXPECT_EQ(event, events_.size());
}

TEST_P(DecaySeriesTest, OursIsTheExactIntegral) {
  Follow();
  const priority::UsageDecay decay = DecayWith(series_.half_life_s);
  for (const auto& [name, user] : series_.users) {
    SCOPED_TRACE(name);
    ExpectClose(Ours(user, decay, end_), NaiveIntegral(user, series_.half_life_s, end_), 1e-9);
  }
}

// Of a charge of d seconds Slurm counts d * f^(d + P), f = 1 - 0.693/HL, P = the
// seconds of all passes since (a job that ends between two passes is decayed for
// the whole of the next one). The integral is HL/ln 2 * (1 - 2^(-d/HL)) *
// 2^(-S/HL), S = the seconds since its end.
TEST_P(DecaySeriesTest, TheDifferenceIsThatOfTheTwoFormulas) {
  Follow();
  const double half_life_s = series_.half_life_s;
  const priority::UsageDecay decay = DecayWith(half_life_s);
  for (const auto& [name, user] : series_.users) {
    SCOPED_TRACE(name);
    const double age = absl::ToDoubleSeconds(end_ - user.last_decay);
    double predicted =
        user.start_usage * (SlurmFactor(half_life_s, age) - ExactFactor(half_life_s, age));
    for (const Follower::Stretch& stretch : user.stretches) {
      const double d = absl::ToDoubleSeconds(stretch.end - stretch.start);
      const double since = absl::ToDoubleSeconds(end_ - stretch.end);
      const double exact = half_life_s == 0
                               ? d
                               : half_life_s / std::log(2.0) * (1 - ExactFactor(half_life_s, d)) *
                                     ExactFactor(half_life_s, since);
      predicted += stretch.rate * (d * SlurmFactor(half_life_s, d + stretch.pass_seconds) - exact);
    }
    const double got = user.slurm - Ours(user, decay, end_);
    EXPECT_LE(std::abs(got - predicted), 1e-9 * std::max(user.slurm, 1.0)) << got;
    if (half_life_s == 0) {
      EXPECT_EQ(got, 0);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Captured, DecaySeriesTest,
                         ::testing::Values("halflife_5min", "halflife_1day_classic",
                                           "no_decay_maxtres"));

priority::ResetRule RuleOf(const std::string& period, absl::Time pass) {
  static const auto* const kPeriods = new std::map<std::string, priority::ResetPeriod>{
      {"NONE", priority::ResetPeriod::kNone},
      {"NOW", priority::ResetPeriod::kNow},
      {"DAILY", priority::ResetPeriod::kDaily},
      {"WEEKLY", priority::ResetPeriod::kWeekly},
      {"MONTHLY", priority::ResetPeriod::kMonthly},
      {"QUARTERLY", priority::ResetPeriod::kQuarterly},
      {"YEARLY", priority::ResetPeriod::kYearly}};
  priority::ResetRule rule;
  rule.period = kPeriods->at(period);
  rule.anchor = pass;  // NOW: applied at the start that this is the first pass of.
  return rule;
}

// Slurm keeps the time of its last reset; usage of that time is what a pass wipes
// out or leaves.
TEST(ResetOracleTest, OursCountsNothingExactlyWhereSlurmReset) {
  for (const TsvRow& row : ReadDecayTable("reset")) {
    SCOPED_TRACE(row.at("period") + " " + row.at("case"));
    const absl::Time pass = TimeOf(row, "pass");
    const absl::Time last_reset = TimeOf(row, "last_reset");
    const priority::UsageDecay decay({}, RuleOf(row.at("period"), pass));
    const bool was_reset = row.at("was_reset") == "1";
    EXPECT_EQ(decay.Carry(1e6, last_reset, pass), was_reset ? 0 : 1e6);
  }
}

TEST(ResetOracleTest, TheBoundariesThatSlurmStoresAreOurs) {
  int checked = 0;
  for (const TsvRow& row : ReadDecayTable("reset")) {
    if (row.at("was_reset") != "1" || row.at("period") == "NOW") continue;
    SCOPED_TRACE(row.at("period") + " " + row.at("case"));
    const priority::ResetRule rule = RuleOf(row.at("period"), absl::InfinitePast());
    const absl::Time stored = TimeOf(row, "stored_last_reset");
    EXPECT_EQ(priority::LastReset(rule, stored), stored);
    // After an absence Slurm takes MONTHLY and longer one boundary at a time: it
    // stores the first one after its last reset.
    const bool one_at_a_time = row.at("period") != "DAILY" && row.at("period") != "WEEKLY";
    if (one_at_a_time) {
      EXPECT_LE(priority::LastReset(rule, stored - absl::Seconds(1)), TimeOf(row, "last_reset"));
    } else {
      EXPECT_EQ(priority::LastReset(rule, TimeOf(row, "pass")), stored);
    }
    ++checked;
  }
  EXPECT_GE(checked, 40);
}

using NormUsage = std::map<std::string, double>;  // By "account user".

std::map<std::string, std::vector<NormUsage>> ReadLag() {
  std::map<std::string, std::vector<NormUsage>> lag;
  for (const TsvRow& row : ReadDecayTable("lag")) {
    std::vector<NormUsage>& samples = lag[row.at("mode")];
    samples.resize(IntegerOf(row.at("sample")) + 1);
    if (row.at("account") == "root") continue;
    samples.back()[row.at("account") + " " + row.at("user")] = NumberOf(row.at("norm_usage"));
  }
  return lag;
}

// What Slurm shows of its users, as our tree's own usage.
priority::FairShare ComputeFrom(const NormUsage& sample, priority::FairShareAlgorithm algorithm,
                                std::map<std::string, double>* norm_usage) {
  const std::vector<priority::Association> associations = {
      {.id = 1, .account = "root"},
      {.id = 2, .parent_id = 1, .account = "idle"},
      {.id = 3, .parent_id = 1, .account = "run"},
      {.id = 4, .parent_id = 2, .account = "idle", .user = "user1"},
      {.id = 5, .parent_id = 3, .account = "run", .user = "ann"},
      {.id = 6, .parent_id = 3, .account = "run", .user = "bob"}};
  auto tree = priority::AssociationTree::Build(associations);
  EXPECT_TRUE(tree.ok()) << tree.status();
  std::vector<double> usage(tree->size());
  for (const priority::Association& a : associations) {
    if (!a.user.empty()) usage[tree->FindId(a.id)] = sample.at(a.account + " " + a.user);
  }
  priority::Policy policy;
  policy.algorithm = algorithm;
  priority::FairShare shares = priority::ComputeFairShare(*tree, policy, usage, 0);
  for (const priority::Association& a : associations) {
    (*norm_usage)[a.account + " " + a.user] = shares.norm_usage[tree->FindId(a.id)];
  }
  return shares;
}

TEST(LagOracleTest, SlurmsAccountsLagAPassInClassicModeAndOursDoNot) {
  const auto lag = ReadLag();
  const std::vector<NormUsage>& classic = lag.at("classic");
  ASSERT_EQ(classic.size(), 3u);
  std::vector<std::map<std::string, double>> ours(classic.size());
  for (size_t i = 0; i < classic.size(); ++i) {
    ComputeFrom(classic[i], priority::FairShareAlgorithm::kClassic, &ours[i]);
    for (const char* user : {"idle user1", "run ann", "run bob"}) {
      if (classic[i].at(user) > 0) ExpectClose(ours[i].at(user), classic[i].at(user), 1e-12);
    }
  }
  for (size_t i = 1; i < classic.size(); ++i) {
    for (const char* account : {"idle ", "run "}) {
      ExpectClose(classic[i].at(account), ours[i - 1].at(account), 1e-12);
      EXPECT_GT(std::abs(classic[i].at(account) - ours[i].at(account)), 0.1);
    }
  }
}

TEST(LagOracleTest, InFairTreeModeBothAreOfOneMoment) {
  const auto lag = ReadLag();
  for (const NormUsage& sample : lag.at("fairtree")) {
    std::map<std::string, double> ours;
    ComputeFrom(sample, priority::FairShareAlgorithm::kFairTree, &ours);
    for (const auto& [name, norm_usage] : sample) {
      if (norm_usage > 0) ExpectClose(ours.at(name), norm_usage, 1e-12);
    }
  }
}

}  // namespace
}  // namespace priorityd
