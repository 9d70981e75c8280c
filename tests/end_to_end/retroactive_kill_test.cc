// A server that is killed while it applies a half-life to all the past has done
// so or not begun.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "priority/v1/admin_service.grpc.pb.h"
#include "priority/v1/priority_service.grpc.pb.h"
#include "tests/end_to_end/real_priorityd.h"
#include "tests/end_to_end/recorded_site.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

constexpr int kRetroactiveRecords = 30'000;
constexpr int kRounds = 6;

std::string PolicyText(int hours) {
  return absl::StrCat("Clock=manual\nPriorityDecayHalfLife=", hours, ":0:0\n");
}

class RetroactiveSite : public RecordedSite {
 public:
  using RecordedSite::RecordedSite;

  void SetUp() {
    Import(PolicyText(1));
    Record("s", kRetroactiveRecords);
  }

  grpc::Status ApplyRetroactively(int hours) {
    v1::ApplyPolicyRequest request;
    request.set_text(PolicyText(hours));
    request.set_retroactive(true);
    grpc::ClientContext context;
    v1::ApplyPolicyResponse response;
    return admin_->ApplyPolicy(&context, request, &response);
  }

  double UsageAfterAll() {
    v1::RecalculateRequest request;
    request.mutable_as_of()->set_seconds(kRecordedFrom + kRetroactiveRecords);
    grpc::ClientContext recalculate, list;
    v1::Snapshot snapshot;
    EXPECT_TRUE(admin_->Recalculate(&recalculate, request, &snapshot).ok());
    v1::ListSharesResponse shares;
    EXPECT_TRUE(priority_->ListShares(&list, {}, &shares).ok());
    return shares.shares_size() == 0 ? -1 : shares.shares(0).raw_usage();
  }
};

// One unit a second over all the records, counted at their end.
double Integral(int hours) {
  const double rate = std::log(2.0) / (hours * 3600.0);
  return (1 - std::exp(-rate * kRetroactiveRecords)) / rate;
}

bool Is(double got, double want) { return std::abs(got - want) <= 1e-9 * want; }

TEST(RetroactiveKillTest, TheChangeIsMadeOrNotBegun) {
  const std::vector<std::string> flags = {"--listen=127.0.0.1:0",
                                          "--data_dir=" + storage::NewTestDirectory() + "/data"};
  {
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    RetroactiveSite(priorityd).SetUp();
  }
  int hours = 1;  // The half-life that holds.
  for (int round = 0; round < kRounds; ++round) {
    const int next = round + 2;
    bool answered = false;
    {
      RealPriorityd priorityd(flags);
      ASSERT_TRUE(priorityd.AwaitListening());
      std::promise<void> done;
      std::thread caller([&] {
        answered = RetroactiveSite(priorityd).ApplyRetroactively(next).ok();
        done.set_value();
      });
      // Later each round, until the call is through before.
      done.get_future().wait_for(std::chrono::milliseconds(60 * round * round));
      priorityd.Signal(SIGKILL);
      caller.join();
      EXPECT_EQ(priorityd.Wait(), 128 + SIGKILL);
    }
    RealPriorityd priorityd(flags);
    ASSERT_TRUE(priorityd.AwaitListening());
    RetroactiveSite site(priorityd);
    const double usage = site.UsageAfterAll();
    const bool made = Is(usage, Integral(next));
    EXPECT_TRUE(made || Is(usage, Integral(hours))) << "round " << round << ": " << usage;
    if (answered) {
      EXPECT_TRUE(made);
    }
    EXPECT_EQ(site.DifferentRows(), 0);
    if (made) hours = next;
  }
  RealPriorityd priorityd(flags);
  ASSERT_TRUE(priorityd.AwaitListening());
  RetroactiveSite site(priorityd);
  EXPECT_TRUE(site.ApplyRetroactively(24).ok());
  EXPECT_TRUE(Is(site.UsageAfterAll(), Integral(24)));
}

}  // namespace
}  // namespace priorityd
