// Plays with grants beside a play that keeps nothing.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "engine/grants/consequence.h"
#include "gtest/gtest.h"
#include "tests/engine/laboratory/limited_site.h"
#include "tests/engine/laboratory/naive_play.h"
#include "tests/engine/laboratory/small_history.h"

namespace priorityd::laboratory {
namespace {

constexpr const char* kConsequencesTried[] = {
    "block", "cap:cpu=3", "demote:q1", "demote:FairShare=10%", "demote:Band=50", "demote:Age=12.5%",
    "warn",  "none",      "refuse"};

TriedGrant RandomGrant(std::mt19937_64& random, int number) {
  const auto below = [&](int n) { return static_cast<int>(random() % n); };
  TriedGrant tried;
  tried.name = absl::StrCat("g", number);
  grants::Settings& settings = tried.settings;
  // Each has its owner and TRES for itself.
  settings.accounts = {number % 2 == 0 ? "lab" : "other"};
  if (number == 4 || number == 5) settings.user = number % 2 == 0 ? "u1" : "u4";
  settings.tres = number % 4 >= 2 ? "billing" : number < 4 ? "cpu" : kTresSumTried;
  if (number >= 6) settings.tres = kPriceTried;
  settings.grant.begin = kBegin + absl::Minutes(below(3) == 0 ? below(60) : 0);
  if (below(3) == 0) settings.grant.end = settings.grant.begin + absl::Minutes(60 + below(200));
  settings.grant.versions = {{settings.grant.begin, grants::Amount::FromMinutes(5 + below(120))}};
  const auto consequence = grants::ReadConsequence(kConsequencesTried[below(9)]);
  settings.consequence = consequence->kind;
  settings.demoted_qos = consequence->demoted_qos;
  settings.measure = consequence->measure;
  return tried;
}

grants::PriceBooks PricesTried() {
  grants::PriceRule of_q1{.tres = "cpu", .per_hour = 500'000'000'000, .qos = {"q1"}};
  grants::PriceRule second{.tres = "cpu", .per_hour = 2'000'000'000'000, .hours = 0b10};
  grants::PriceRule other{.tres = "cpu", .per_hour = 1'000'000'000'000};
  grants::PriceBooks books;
  books.emplace(
      kPriceTried,
      grants::PriceBook({{kBegin - absl::Hours(24), absl::UTCTimeZone(), {of_q1, second, other}}}));
  return books;
}

// Those with one TRES: a part of the amount of one moves to another one, both ways.
void AddTransfers(std::mt19937_64& random, std::vector<TriedGrant>* grants) {
  for (const auto& [from, to] : {std::pair(0, 1), {3, 2}, {4, 5}, {6, 7}}) {
    const absl::Time at = kBegin + absl::Minutes(static_cast<int>(random() % 120));
    const auto amount = grants::Amount::FromMinutes(1 + static_cast<int>(random() % 60));
    (*grants)[from].settings.grant.transfers.push_back({at, -amount});
    (*grants)[to].settings.grant.transfers.push_back({at, amount});
  }
}

TriedGrant BlockOfLab(int minutes) {
  TriedGrant grant;
  grant.name = "g";
  grant.settings.accounts = {"lab"};
  grant.settings.tres = "cpu";
  grant.settings.consequence = priority::GrantConsequence::kBlock;
  grant.settings.grant.begin = kBegin;
  grant.settings.grant.versions = {{kBegin, grants::Amount::FromMinutes(minutes)}};
  return grant;
}

std::vector<Refusal> ByJob(std::vector<Refusal> refused) {
  absl::c_sort(refused, [](const Refusal& a, const Refusal& b) { return a.job < b.job; });
  return refused;
}

TEST(GrantedPlayTest, StartsWhatAPlayStartsThatKeepsNothing) {
  int64_t in_effect = 0, changed = 0, refused = 0;
  for (int seed = 0; seed < 25; ++seed) {
    std::mt19937_64 random(seed);
    const Site site = LimitedSite(random);
    const std::vector<HistoryJob> jobs = LimitedHistory(random, 80);
    PlayOptions options = LimitedOptions(random);
    const Played without = Play(site, jobs, options);
    options.prices = PricesTried();
    for (int i = 0; i < 8; ++i) options.grants.push_back(RandomGrant(random, i));
    if (seed % 2 == 1) AddTransfers(random, &options.grants);
    const Played played = Play(site, jobs, options);
    const Played naive = NaivePlay(site, jobs, options);
    ASSERT_EQ(Seconds(played.schedule), Seconds(naive.schedule)) << seed;
    ASSERT_EQ(played.nodes, naive.nodes) << seed;
    EXPECT_EQ(played.never_started, naive.never_started) << seed;
    EXPECT_EQ(ByJob(played.refused), ByJob(naive.refused)) << seed;
    refused += static_cast<int64_t>(played.refused.size());
    for (const std::vector<InEffect>& times : played.in_effect) in_effect += times.size();
    changed += Seconds(played.schedule) != Seconds(without.schedule);
  }
  EXPECT_GT(in_effect, 15);
  EXPECT_GT(changed, 5) << "else the grants were no test of it";
  EXPECT_GT(refused, 5) << "else nothing was refused";
}

// One node, jobs of half an hour that come each half hour, of one user. After 60 minutes the grant
// is used up; the supplement that comes at 150 minutes lasts for 30 more.
TEST(GrantedPlayTest, AGrantRefusesNewJobsUntilATransferComes) {
  const Site site = SmallSite(1, 1, 1).Build();
  std::vector<HistoryJob> jobs;
  for (int i = 0; i < 8; ++i) jobs.push_back(JobOf(absl::StrCat(i), 1800 * i, 1800));
  // The last one was submitted while something was left, and is eligible when nothing is.
  jobs.back().submit = kBegin + absl::Minutes(59);
  PlayOptions options;
  options.policy.calc_period = absl::Minutes(5);
  TriedGrant grant;
  grant.name = "g";
  grant.settings.accounts = {"lab"};
  grant.settings.tres = "cpu";
  grant.settings.consequence = priority::GrantConsequence::kRefuse;
  grant.settings.grant.begin = kBegin;
  grant.settings.grant.versions = {{kBegin, grants::Amount::FromMinutes(60)}};
  grant.settings.grant.transfers = {{kBegin + absl::Minutes(150), grants::Amount::FromMinutes(30)}};
  options.grants = {grant};
  const Played played = Play(site, jobs, options);
  EXPECT_EQ(Seconds(played.schedule), (std::vector<int64_t>{0, 1800, -1, -1, -1, 9000, -1, 12600}));
  EXPECT_EQ(played.refused, (std::vector<Refusal>{{2, 0, kBegin + absl::Minutes(60)},
                                                  {3, 0, kBegin + absl::Minutes(90)},
                                                  {4, 0, kBegin + absl::Minutes(120)},
                                                  {6, 0, kBegin + absl::Minutes(180)}}));
  EXPECT_EQ(played.never_started, (std::map<std::string, int64_t>{{"Refused", 4}}));
}

// One node. Of 60 minutes, the first job uses 30; the second may use 40, the third uses the rest.
TEST(GrantedPlayTest, UnderSafeAGrantThatIsNotUsedUpHoldsWhatDoesNotFitItToItsEnd) {
  const Site site = SmallSite(1, 1, 1).Build();
  std::vector<HistoryJob> jobs = {JobOf("a", 0, 1800), JobOf("b", 0, 600), JobOf("c", 0, 1200)};
  jobs[0].time_limit = absl::Minutes(30);
  jobs[1].time_limit = absl::Minutes(40);
  jobs[2].time_limit = absl::Minutes(20);
  PlayOptions options;
  options.policy.calc_period = absl::Minutes(5);
  options.policy.enforce.limits = true;
  options.policy.enforce.safe = true;
  options.grants = {BlockOfLab(60)};
  const Played played = Play(site, jobs, options);
  EXPECT_EQ(Seconds(played.schedule), (std::vector<int64_t>{0, -1, 1800}));
  EXPECT_EQ(played.in_effect, (std::vector<std::vector<InEffect>>{{}}));
  EXPECT_EQ(played.held, (std::set<HeldJob>{{0, 1}}));
}

// 32 of the 60 minutes of the first job; the second one comes long after the end of the grant.
TEST(GrantedPlayTest, AGrantIsJudgedAtRecalculationsBetweenTwoEvents) {
  const Site site = SmallSite(1, 1, 1).Build();
  const std::vector<HistoryJob> jobs = {JobOf("a", 0, 3600), JobOf("b", 36000, 600)};
  PlayOptions options;
  options.policy.calc_period = absl::Minutes(5);
  options.grants = {BlockOfLab(32)};
  options.grants[0].settings.grant.end = kBegin + absl::Minutes(181);
  EXPECT_EQ(Play(site, jobs, options).in_effect[0],
            (std::vector<InEffect>{{kBegin + absl::Minutes(35), kBegin + absl::Minutes(185)}}));
}

// One CPU for three days. Today and yesterday have less than 23 hours from the fourth midnight on.
TEST(GrantedPlayTest, ARollingWindowMovesWhileNothingHappens) {
  const Site site = SmallSite(1, 1, 1).Build();
  const std::vector<HistoryJob> jobs = {JobOf("a", 0, 3 * 86400), JobOf("b", 8 * 86400, 600)};
  PlayOptions options;
  options.policy.calc_period = absl::Minutes(5);
  options.policy.time_zone = absl::UTCTimeZone();
  options.grants = {BlockOfLab(23 * 60)};
  options.grants[0].settings.grant.window = grants::WindowKind::kRolling;
  options.grants[0].settings.grant.rolling_days = 2;
  EXPECT_EQ(Play(site, jobs, options).in_effect[0],
            (std::vector<InEffect>{{kBegin + absl::Hours(23), kBegin + absl::Hours(96)}}));
}

// One node; u0 and u1 want it all the time. u0 comes first, until 60 minutes are used.
TEST(GrantedPlayTest, ADemotionTakesEffectAtARecalculationAndEndsWithTheGrant) {
  const Site site = SmallSite(1, 1, 2).Build();
  std::vector<HistoryJob> jobs;
  for (int i = 0; i < 10; ++i) {
    jobs.push_back(JobOf(absl::StrCat(i), i < 5 ? 0 : 1, 1800));
    jobs.back().user = i < 5 ? "u0" : "u1";
  }
  SortHistory(&jobs);
  PlayOptions options;
  options.policy.priority_type = priority::PriorityType::kMultifactor;
  options.policy.calc_period = absl::Minutes(5);
  options.policy.weight_age = 1'000'000;
  options.policy.max_age = absl::Hours(1000);
  TriedGrant grant;
  grant.name = "g";
  grant.settings.accounts = {"lab"};
  grant.settings.user = "u0";
  grant.settings.tres = "cpu";
  grant.settings.grant.begin = kBegin;
  grant.settings.grant.end = kBegin + absl::Minutes(175);
  grant.settings.grant.versions = {{kBegin, grants::Amount::FromMinutes(60)}};
  grant.settings.consequence = priority::GrantConsequence::kBand;
  grant.settings.measure.most = 1;
  options.grants = {grant};
  const Played played = Play(site, jobs, options);
  // After two of u0 four of u1 run, then the grant has ended.
  std::vector<std::string> order(10);
  for (size_t i = 0; i < jobs.size(); ++i) {
    order[Seconds(played.schedule)[i] / 1800] = jobs[i].user;
  }
  EXPECT_EQ(order,
            (std::vector<std::string>{"u0", "u0", "u1", "u1", "u1", "u1", "u0", "u0", "u0", "u1"}));
  EXPECT_EQ(played.in_effect[0],
            (std::vector<InEffect>{{kBegin + absl::Minutes(60), kBegin + absl::Minutes(175)}}));
}

}  // namespace
}  // namespace priorityd::laboratory
