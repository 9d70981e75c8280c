// The first half of the NASA trace of 18,239 jobs, played by client/examples/batch_frontend on
// the real service. The machine was half idle in 1993: to have users compete, jobs are submitted
// four times as fast as they were. A scheduling pass every five minutes halves the calls.
#include <fstream>
#include <future>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tests/client/run_prioctl.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/end_to_end/trace.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

using google::protobuf::Struct;

constexpr char kProgram[] = "client/examples/batch_frontend/batch_frontend";
constexpr size_t kJobs = 18'239 / 2;

// Of the farthest usage from what is due, relative. A job of all processors for three
// hours, of which most large users have some, is 29 % of what is due to each, and nobody
// can be nearer than the job that just began or did not.
constexpr double kStatedDistance = 0.30;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Of the first `jobs` of the trace.
std::string TraceAsSwf(size_t jobs) {
  std::string swf = absl::StrCat("; UnixStartTime: ", absl::ToUnixSeconds(TraceBegin()), "\n");
  int number = 0;
  for (const TraceJob& job : ReadTrace(jobs)) {
    absl::StrAppend(&swf, ++number, " ", absl::ToInt64Seconds(job.start - TraceBegin()), " -1 ",
                    absl::ToInt64Seconds(job.length), " ", job.processors, " -1 -1 ",
                    job.processors, " -1 -1 1 ", job.user.substr(1), " -1 -1 -1 -1 -1 -1\n");
  }
  return swf;
}

struct Play {
  Struct summary;
  std::string events;

  double Number(const std::string& field) const {
    return summary.fields().at(field).number_value();
  }
  double Fairness(const std::string& field) const {
    return summary.fields().at("fairness").struct_value().fields().at(field).number_value();
  }
};

// A play under way, on a new service with a new database.
class TracePlay {
 public:
  // Plays at the same time have different names.
  TracePlay(const std::string& name, const std::string& priority_type, size_t jobs)
      : priorityd_(
            {"--listen=127.0.0.1:0", absl::StrCat("--database_url=", storage::NewTestDatabase())}),
        trace_(WriteFile(name + ".swf", TraceAsSwf(jobs))),
        events_(WriteFile(name + ".events", "")) {
    if (!priorityd_.AwaitListening()) return;
    play_ = std::async(std::launch::async, [this, priority_type] { return Run(priority_type); });
  }

  // What it came to. REQUIRES: not called before.
  Play Await() { return play_.valid() ? play_.get() : Play(); }

 private:
  Play Run(const std::string& priority_type) {
    Play play;
    const Finished run = RunProgram(
        kProgram, {trace_, "--server", priorityd_.address(), "--nodes", "128", "--load-factor", "4",
                   "--pass-interval", "300", "--half-life", "4-0", "--calc-period", "15",
                   "--priority-type", priority_type, "--json", "--events", events_});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const auto parsed = google::protobuf::util::JsonStringToMessage(run.out, &play.summary);
    EXPECT_TRUE(parsed.ok()) << run.out;
    play.events = ReadFile(events_);
    return play;
  }

  RealPriorityd priorityd_;
  const std::string trace_;
  const std::string events_;
  std::future<Play> play_;  // Gone before the others.
};

TEST(BatchFrontendTraceTest, UsersWithEqualSharesEndEqual) {
  const Play play = TracePlay("multifactor", "priority/multifactor", kJobs).Await();
  ASSERT_FALSE(::testing::Test::HasFailure());
  EXPECT_EQ(play.Number("jobs"), kJobs);
  EXPECT_EQ(play.summary.fields().at("users").list_value().values_size(), 58);
  EXPECT_EQ(play.Number("never_started"), 0);
  EXPECT_GE(play.Fairness("users"), 4);
  EXPECT_LT(play.Fairness("largest_distance"), kStatedDistance);
}

TEST(BatchFrontendTraceTest, UnderPriorityBasicTheyDoNot) {
  const Play play = TracePlay("basic", "priority/basic", kJobs).Await();
  ASSERT_FALSE(::testing::Test::HasFailure());
  EXPECT_EQ(play.Number("never_started"), 0);
  EXPECT_GE(play.Fairness("users"), 5);
  EXPECT_GT(play.Fairness("largest_distance"), 1);
}

TEST(BatchFrontendTraceTest, TwoPlaysAreAlike) {
  constexpr size_t kFirst = 3000;
  TracePlay one("one", "priority/multifactor", kFirst),
      another("another", "priority/multifactor", kFirst);
  const Play first = one.Await(), second = another.Await();
  ASSERT_FALSE(::testing::Test::HasFailure());
  EXPECT_EQ(first.Number("jobs"), kFirst);
  EXPECT_TRUE(first.events == second.events) << "what happened differs";
  EXPECT_EQ(first.summary.DebugString(), second.summary.DebugString());
}

}  // namespace
}  // namespace priorityd
