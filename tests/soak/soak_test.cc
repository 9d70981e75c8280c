// Three replicas on one database under load, and a fault every twenty seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "storage/database/database.h"
#include "tests/end_to_end/small_disk.h"
#include "tests/sanitizer.h"
#include "tests/soak/access.h"
#include "tests/soak/checks.h"
#include "tests/soak/faults.h"
#include "tests/soak/hostile_load.h"
#include "tests/soak/policy_load.h"
#include "tests/soak/queue_load.h"
#include "tests/soak/read_load.h"
#include "tests/soak/replica.h"
#include "tests/soak/site.h"
#include "tests/soak/usage_load.h"
#include "tests/soak/watch_load.h"
#include "tests/storage/dropped_packets.h"
#include "tests/storage/postgres_server.h"
#include "tests/storage/test_database.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

constexpr int kReplicas = 3;
constexpr int kSenders = 3;
constexpr int kFrontends = 2;
constexpr int kWatchers = 12;
constexpr absl::Duration kBetweenFaults = absl::Seconds(20);
constexpr absl::Duration kLongestFault = absl::Seconds(15);
// What docs/operations.md has a machine give beyond the program and its state: these are what a
// replica takes before the load begins.
constexpr double kMaxGrowthMib = (kIsSanitized ? 10 : 1.25) * kMemoryBudgetMib;

constexpr size_t kPrintedLog = 20'000;

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : std::atoll(value);
}

class SoakTest : public ::testing::Test {
 protected:
  SoakTest() {
    // In this order: who mounts may enter another namespace, from which packets are dropped.
    auto disk = SmallDisk::Mount(600 + 25 * minutes_);
    if (disk.ok()) disk_ = *std::move(disk);
    may_drop_packets_ = storage::EnterNetwork();
    postgres_.emplace(disk_ == nullptr ? storage::NewTestDirectory() : disk_->path());
    postgres_->Run(
        "psql", {"-d", postgres_->Url("postgres"), "-c", "ALTER SYSTEM SET max_wal_size = '128MB'",
                 "-c", "SELECT pg_reload_conf()"});
    database_.emplace(storage::DatabaseOptions{.url = postgres_->Url("postgres"), .pool_size = 1});
    for (int i = 0; i < kReplicas; ++i) {
      replicas_.push_back(std::make_unique<Replica>(postgres_->Url("postgres"), &access_));
    }
  }

  LoadOptions NextOptions() { return {&replicas_, clusters_, seeds_()}; }

  void Import() {
    for (int cluster = 0; cluster < clusters_; ++cluster) {
      const auto imported = replicas_[0]->client().Import(SiteOf(cluster));
      ASSERT_TRUE(imported.ok()) << imported.status();
    }
    const client::PriorityClient& root = replicas_[0]->client();
    const auto hostile = root.Import(HostileSite());
    ASSERT_TRUE(hostile.ok()) << hostile.status();
    const auto victims = root.UpdateJobs(VictimsJobs());
    ASSERT_TRUE(victims.ok()) << victims.status();
    AwaitAll(replicas_, clusters_);
    idle_ = replicas_[0]->ResidentMib();
    // The first one's imports have left something.
    for (const auto& replica : replicas_) idle_ = std::min(idle_, replica->ResidentMib());
  }

  void BeginLoad() {
    for (int i = 0; i < kSenders; ++i) {
      senders_.push_back(std::make_unique<UsageSender>(i, NextOptions()));
    }
    for (int i = 0; i < kFrontends; ++i) {
      frontends_.push_back(std::make_unique<Frontend>(i, kFrontends, NextOptions()));
    }
    operator_ = std::make_unique<Operator>(NextOptions());
    reader_ = std::make_unique<Reader>(NextOptions());
    hostile_ = HostileLoads(NextOptions());
    for (Load* load : Loads()) load->Begin();
    for (int i = 0; i < kWatchers; ++i) {
      watchers_.push_back(
          std::make_unique<Watcher>(replicas_[i % kReplicas].get(), i * clusters_ / kWatchers));
    }
    for (const auto& watcher : watchers_) {
      ASSERT_TRUE(watcher->AwaitFirstAnswer()) << "no answer to a watch before the first fault";
    }
  }
  std::vector<Load*> Loads() {
    std::vector<Load*> loads = {operator_.get(), reader_.get()};
    for (const auto& sender : senders_) loads.push_back(sender.get());
    for (const auto& frontend : frontends_) loads.push_back(frontend.get());
    for (const auto& hostile : hostile_) loads.push_back(hostile.get());
    return loads;
  }

  void LookAtMemory() {
    for (const auto& replica : replicas_) {
      const double resident = replica->PeakResidentMib();
      EXPECT_GT(resident, 0) << "replica at " << replica->address() << " died";
      EXPECT_LT(resident, idle_ + kMaxGrowthMib) << "replica at " << replica->address();
      most_resident_ = std::max(most_resident_, resident);
    }
  }

  // One fault after another until the time is over, or something is wrong.
  void DoFaults(absl::Time end) {
    for (absl::Time next = absl::Now(); next < end && !HasFailure(); next += kBetweenFaults) {
      absl::SleepFor(next - absl::Now());
      LookAtMemory();  // Of one that is killed now.
      faults_->DoOne(std::min(kLongestFault, end - absl::Now()));
      LookAtMemory();
    }
    while (absl::Now() < end && !HasFailure()) absl::SleepFor(absl::Milliseconds(100));
  }

  void PrintLogs() {
    for (const auto& replica : replicas_) {
      const std::string log = replica->Log();
      const size_t from = log.size() > kPrintedLog ? log.size() - kPrintedLog : 0;
      std::printf("the end of the log of %s:\n%s\n", replica->address().c_str(),
                  log.substr(from).c_str());
    }
  }

  void PrintSummary(absl::Duration latest) {
    std::printf("soak: %d minutes, %d clusters, seed %d: %s\n", static_cast<int>(minutes_),
                clusters_, static_cast<int>(seed_), HasFailure() ? "FAILED" : "all well");
    std::printf("soak: %s\n", faults_->Summary().c_str());
    for (const Load* load : Loads()) std::printf("soak: %s\n", load->Summary().c_str());
    int64_t answers = 0;
    for (const auto& watcher : watchers_) answers += watcher->answers();
    std::printf("soak: %d answers to %d watches\n", static_cast<int>(answers), kWatchers);
    std::printf("soak: recalculations at most %s later than allowed for by the faults\n",
                absl::FormatDuration(absl::Trunc(latest, absl::Milliseconds(1))).c_str());
    std::printf("soak: replicas had at most %.0f MiB resident, of %.0f: %.0f before the load\n",
                most_resident_, idle_ + kMaxGrowthMib, idle_);
  }

  const int64_t minutes_ = FromEnvironment("SOAK_MINUTES", 1);
  const int64_t seed_ = FromEnvironment("SOAK_SEED", std::random_device()() % 1'000'000);
  const int clusters_ = static_cast<int>(FromEnvironment("SOAK_CLUSTERS", 300));
  std::mt19937_64 seeds_{static_cast<uint64_t>(seed_)};
  bool may_drop_packets_ = false;
  const Access access_;
  std::unique_ptr<SmallDisk> disk_;
  std::optional<storage::PostgresServer> postgres_;
  std::optional<storage::Database> database_;
  Replicas replicas_;
  std::optional<Faults> faults_;
  std::vector<std::unique_ptr<UsageSender>> senders_;
  std::vector<std::unique_ptr<Frontend>> frontends_;
  std::unique_ptr<Operator> operator_;
  std::unique_ptr<Reader> reader_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
  std::vector<std::unique_ptr<HostileLoad>> hostile_;
  double idle_ = 0, most_resident_ = 0;
};

TEST_F(SoakTest, NothingIsLostOrDoubledAndEverythingContinuesWhateverFails) {
  if (!may_drop_packets_) GTEST_SKIP() << "want root, or user namespaces";
  std::printf("soak: --seed %d repeats this\n", static_cast<int>(seed_));
  ASSERT_NO_FATAL_FAILURE(Import());
  faults_.emplace(&replicas_, &*postgres_, disk_.get(), seeds_());
  ASSERT_NO_FATAL_FAILURE(BeginLoad());
  const absl::Time begin = absl::Now();
  DoFaults(begin + absl::Minutes(minutes_));
  const absl::Time end = absl::Now();
  for (Load* load : Loads()) load->End();
  const absl::Duration latest = ExpectSchedulesKept(*database_, begin, end, faults_->done());
  RecalculateAll(replicas_, clusters_);
  AwaitAll(replicas_, clusters_);
  ExpectUsageOnce(replicas_, *database_, clusters_, senders_);
  ExpectSameShares(replicas_, clusters_);
  ExpectQueues(replicas_, frontends_);
  ExpectPolicies(replicas_, *operator_);
  for (const auto& watcher : watchers_) watcher->ExpectTheTop();
  LookAtMemory();
  if (HasFailure()) PrintLogs();
  PrintSummary(latest);
}

}  // namespace
}  // namespace priorityd::soak
