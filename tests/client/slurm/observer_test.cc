#include "client/slurm/observer.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/slurm/pass_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/slurm/played_slurm.h"
#include "tests/end_to_end/shared_priorityd.h"

namespace priorityd::slurm_frontend {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A real priorityd, whose clock is that of the passes, and what a real Slurm printed at each.
class ObserverTest : public ::testing::Test {
 protected:
  ObserverTest() : slurm_("observed.txt.gz"), client_({.address = SharedPriorityd().address()}) {}

  ObserverOptions Options() {
    ObserverOptions options;
    options.mirror.cluster = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    options.mirror.policy_lines = {"FairTreeTies=slurm", "Clock=manual"};
    options.zone = absl::UTCTimeZone();
    return options;
  }

  absl::StatusOr<PassReport> Pass(Observer& observer, int pass) {
    slurm_.Play(pass);
    absl::StatusOr<PassReport> report = observer.Pass();
    EXPECT_TRUE(report.ok()) << pass << ": " << report.status();
    return report;
  }

  int64_t AuditEvents(const std::string& cluster) {
    ::priority::v1::ListAuditEventsRequest request;
    request.set_cluster(cluster);
    const auto events = client_.ListAuditEvents(std::move(request));
    return events.ok() ? events->events_size() : -1;
  }

  PlayedSlurm slurm_;
  const client::PriorityClient client_;
};

// On 200 jobs that are held, released, changed and set by hand meanwhile, on a site that is
// changed three times: the same priorities to the point, the same factors to sprio's seven digits.
TEST_F(ObserverTest, PrioritiesAndFactorsAreThoseOfSprioForTwentyPasses) {
  Observer observer(Options(), &client_, slurm_.Runner());
  ASSERT_EQ(slurm_.passes(), 20);
  std::vector<absl::Time> times;
  for (int pass = 1; pass <= slurm_.passes(); ++pass) {
    const auto report = Pass(observer, pass);
    ASSERT_TRUE(report.ok());
    EXPECT_GE(report->comparison.compared, 198);
    EXPECT_EQ(report->comparison.equal, report->comparison.compared);
    EXPECT_THAT(report->comparison.differences, IsEmpty())
        << pass << " " << PassTable(*report, absl::UTCTimeZone(), 30);
    times.push_back(report->comparison.pass.value_or(absl::InfinitePast()));
  }
  EXPECT_TRUE(std::adjacent_find(times.begin(), times.end(), std::greater_equal<>()) ==
              times.end());
}

TEST_F(ObserverTest, AnAgeThatPrioritydKeepsIsToldAsTheReason) {
  ObserverOptions options = Options();
  options.ages_of_slurm = false;
  Observer observer(options, &client_, slurm_.Runner());
  int64_t differ = 0;
  for (int pass = 1; pass <= 8; ++pass) {
    const auto report = Pass(observer, pass);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report->comparison.Unexplained(), 0);
    for (const JobDifference& difference : report->comparison.differences) {
      ASSERT_EQ(difference.factors.size(), 1);
      EXPECT_EQ(difference.factors[0].name, "age");
      EXPECT_THAT(difference.reasons[0], HasSubstr("its age: slurmctld counts from 2026-"));
      ++differ;
    }
  }
  EXPECT_GT(differ, 0);
}

TEST_F(ObserverTest, ASiteThatIsAsItWasIsNotWritten) {
  const ObserverOptions options = Options();
  Observer observer(options, &client_, slurm_.Runner());
  EXPECT_TRUE(Pass(observer, 1)->site_taken);
  const int64_t events = AuditEvents(options.mirror.cluster);
  const auto again = Pass(observer, 1);
  EXPECT_FALSE(again->site_taken);
  EXPECT_FALSE(again->usage_taken);
  EXPECT_EQ(again->queue.changed, 0);
  EXPECT_EQ(AuditEvents(options.mirror.cluster), events);
}

TEST_F(ObserverTest, SlurmIsOnlyRead) {
  Observer observer(Options(), &client_, slurm_.Runner());
  ASSERT_TRUE(Pass(observer, 1).ok());
  for (const std::string& command : slurm_.ran()) {
    const bool reads = absl::StrContains(command, " show ") || absl::StrContains(command, "dump") ||
                       absl::StrContains(command, "squeue") || absl::StartsWith(command, "s");
    EXPECT_TRUE(reads && !absl::StrContains(command, "update")) << command;
  }
}

TEST_F(ObserverTest, ASlurmctldThatIsAwayIsAnErrorAndTheNextPassGoesOn) {
  bool away = true;
  const RunCommand run = slurm_.Runner();
  Observer observer(Options(), &client_, [&](const Arguments& arguments, const std::string& in) {
    return away ? absl::StatusOr<std::string>(absl::UnavailableError("slurmctld is away"))
                : run(arguments, in);
  });
  EXPECT_EQ(observer.Pass().status().code(), absl::StatusCode::kUnavailable);
  away = false;
  EXPECT_THAT(Pass(observer, 1)->comparison.differences, IsEmpty());
}

TEST_F(ObserverTest, AChangeBySprioThatPrioritydDoesNotKnowHasNoReason) {
  const RunCommand run = slurm_.Runner();
  Observer observer(Options(), &client_, [&](const Arguments& arguments, const std::string& in) {
    absl::StatusOr<std::string> out = run(arguments, in);
    if (arguments[0] != "sprio") return out;
    const size_t second = out->find("\n", out->find("\n") + 1);
    const size_t partition = out->find("|0.1000000|0.", out->find("\n"));
    if (partition < second) out->replace(partition, 10, "|0.9000000");
    return out;
  });
  const auto report = Pass(observer, 1);
  ASSERT_EQ(report->comparison.differences.size(), 1);
  EXPECT_EQ(report->comparison.Unexplained(), 1);
  EXPECT_THAT(PassTable(*report, absl::UTCTimeZone(), 5), HasSubstr("no known reason"));
  EXPECT_THAT(PassJson(*report), HasSubstr("\"unexplained\":1"));
}

}  // namespace
}  // namespace priorityd::slurm_frontend
