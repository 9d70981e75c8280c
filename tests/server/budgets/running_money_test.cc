// The price of running jobs, beside a second implementation that goes minute by minute.
#include "server/budgets/running_money.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/civil_time.h"
#include "server/budgets/grant_running.h"
#include "tests/server/budgets/running_jobs.h"

namespace priorityd::budgets {
namespace {

// Nights are cheap in Kathmandu, 5:45 ahead of UTC; the QOS is dear; a GPU always costs the same.
grants::PriceBooks BooksOfMoney() {
  absl::TimeZone zone;
  EXPECT_TRUE(absl::LoadTimeZone("Asia/Kathmandu", &zone));
  grants::PriceVersion version{absl::UnixEpoch(), zone, {}};
  version.rules.push_back({.tres = "cpu", .per_hour = 70'000'000'001, .qos = {"high"}});
  version.rules.push_back({.tres = "cpu", .per_hour = 11'300'000'000, .hours = 0xf000ff});
  version.rules.push_back({.tres = "cpu", .per_hour = 20'100'000'000});
  version.rules.push_back({.tres = "gres/gpu", .per_hour = 500'000'000'000});
  version.rules.push_back({.tres = "billing", .per_hour = 7});
  grants::PriceBooks books;
  books.try_emplace("price/npr", std::vector{version}, "NPR");
  return books;
}

struct JobOfMoney {
  std::string id;
  std::string account;
  int cpus;
  int gpus;
  bool is_high;
  int64_t start;  // Minutes from kNow.
  int64_t limit;  // Minutes.
  int64_t recorded;
};

// In 1e-18 TRES-seconds; a CPU bills as one.
grants::Amount NaiveRest(const JobOfMoney& job) {
  grants::Amount rest;
  const absl::TimeZone utc = absl::UTCTimeZone();
  for (int64_t at = std::max(job.start, job.recorded); at < job.start + job.limit; ++at) {
    const absl::Time local =
        priority::kNow + absl::Minutes(at) + absl::Hours(5) + absl::Minutes(45);
    const int hour = absl::ToCivilHour(local, utc).hour();
    const int64_t cpu = job.is_high              ? 70'000'000'001
                        : hour < 8 || hour >= 20 ? 11'300'000'000
                                                 : 20'100'000'000;
    rest += grants::Amount::OfRate(
        grants::Rate(cpu) * job.cpus + 500'000'000'000 * grants::Rate(job.gpus) + 7 * job.cpus,
        absl::Minutes(1));
  }
  return rest;
}

class RunningMoneyTest : public testing::Test {
 protected:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }

  JobOfMoney AnyJob(int number) {
    JobOfMoney job{.id = absl::StrCat(number),
                   .account = Below(2) == 0 ? "physics" : "chemistry",
                   .cpus = static_cast<int>(1 + Below(200)),
                   .gpus = static_cast<int>(Below(4)),
                   .is_high = Below(3) == 0,
                   .start = -1 - Below(3000),
                   .limit = 1 + Below(6000),
                   .recorded = 0};
    job.recorded = Below(2) == 0 ? job.start : job.start + Below(-job.start + 1);
    return job;
  }

  std::mt19937 random_{7};
};

TEST_F(RunningMoneyTest, IsThePriceOfEachMinuteToTheTimeLimitToTheLastDigit) {
  for (int round = 0; round < 20; ++round) {
    priority::SmallSite site;
    priority::GrantStanding& grant = site.source.grants.emplace_back();
    grant.accounts = {"physics"};
    grant.tres = "price/npr";
    site.qos("high").usage_factor = 2;
    std::vector<JobOfMoney> jobs;
    for (int i = 0; i < 12; ++i) jobs.push_back(AnyJob(i));
    std::vector<queue::TrackedJob> tracked;
    grants::Amount physics, all;
    for (const JobOfMoney& job : jobs) {
      const char* user = job.account == "physics" ? "ann" : "cat";
      tracked.push_back(HourOf(job.id.c_str(), user, job.account.c_str(), job.cpus, job.gpus,
                               job.is_high ? "high" : "normal"));
      tracked.back().job.start_time = priority::kNow + absl::Minutes(job.start);
      tracked.back().job.time_limit = absl::Minutes(job.limit);
      if (job.recorded > job.start) {
        site.source.recorded_until[job.id] = priority::kNow + absl::Minutes(job.recorded);
      }
      all += NaiveRest(job);
      if (job.account == "physics") physics += NaiveRest(job);
    }
    const std::shared_ptr<const priority::Snapshot> snapshot = site.Build();
    const RunningUsage usage(QueueOf(snapshot, tracked));
    GrantRunning running(*snapshot, usage, BooksOfMoney());
    EXPECT_EQ(running.MoneyOf(grant).ToDecimal(), physics.ToDecimal());
    EXPECT_EQ(running.SecondsOf(grant), physics.seconds());
    grant.accounts = {"root"};
    EXPECT_EQ(running.MoneyOf(grant).ToDecimal(), all.ToDecimal());
    grant.tres = "price/unknown";
    EXPECT_EQ(running.MoneyOf(grant), grants::Amount());
  }
}

// 2 CPUs at 0.0201 by day and 0.0113 by night, half a day each; 366 days.
TEST_F(RunningMoneyTest, AJobWithoutATimeLimitCountsAYear) {
  priority::SmallSite site;
  const std::shared_ptr<const priority::Snapshot> snapshot = site.Build();
  std::vector<queue::TrackedJob> jobs = {HourOf("1", "ann", "physics", 2, 0)};
  jobs[0].job.start_time = priority::kNow;
  jobs[0].job.time_limit.reset();
  const RunningUsage usage(QueueOf(snapshot, jobs));
  priority::GrantStanding grant;
  grant.accounts = {"physics"};
  grant.tres = "price/npr";
  const grants::Amount day = grants::Amount::OfRate(
      2 * (12 * grants::Rate(20'100'000'000) + 12 * grants::Rate(11'300'000'000)), absl::Hours(1));
  const grants::Amount billed = grants::Amount::OfRate(2 * 7 * 24, absl::Hours(1));
  EXPECT_EQ(GrantRunning(*snapshot, usage, BooksOfMoney()).MoneyOf(grant).ToDecimal(),
            ((day + billed) * 366).ToDecimal());
}

}  // namespace
}  // namespace priorityd::budgets
