// Starts, counters, records, ends, cancellations and requeues in any order, on two replicas, with
// repetitions, killed connections, restarts and changes of the leader: what fair-share charges is a
// function of what has been reported (ChargeAtStart).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "tests/server/service/ended_jobs_site.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {
namespace {

constexpr int kChargedJobs = 5;
constexpr char kPlainPolicy[] = "Clock=manual\nTimeZone=UTC\nPriorityDecayHalfLife=6:0:0\n";
constexpr char kHalfOfLimit[] = "ChargeAtStart=50%\n";

// Whole seconds, which no clock rounds.
absl::Time ChargeSecond(int64_t second) { return TestEpoch() + absl::Seconds(second); }

// A message of a frontend or a collector, and the second at which it is sent.
struct ChargedMessage {
  int64_t second = 0;
  std::optional<v1::UpdateJobsRequest> update;
  std::optional<v1::RecordUsageRequest> record;
};

// All messages of the jobs of amy, in the order in which they are sent.
class ChargedMessages {
 public:
  explicit ChargedMessages(std::mt19937& random) : random_(random) {
    for (int job = 1; job <= kChargedJobs; ++job) AddJob(std::to_string(job));
    std::stable_sort(all.begin(), all.end(), [](const ChargedMessage& a, const ChargedMessage& b) {
      return a.second < b.second;
    });
  }

  std::vector<ChargedMessage> all;

 private:
  int64_t Pick(int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random_);
  }
  bool Coin() { return Pick(0, 1) == 1; }

  // One or two runs: the job is requeued after the first one.
  void AddJob(const std::string& job_id) {
    int64_t begin = Pick(0, 6 * 3600);
    for (int runs = Coin() ? 2 : 1; runs > 0; --runs) {
      const int64_t end = begin + Pick(1800, 6 * 3600);
      AddRun(job_id, begin, end, runs == 1);
      begin = end + Pick(1, 2 * 3600);
    }
  }

  void AddRun(const std::string& job_id, int64_t begin, int64_t end, bool is_last) {
    const RunOfJob run = {job_id, ChargeSecond(begin), ChargeSecond(end),
                          static_cast<double>(Pick(1, 9))};
    v1::Job running = RunningJob(run);
    // Some run into their limits and beyond.
    running.mutable_time_limit()->set_seconds((end - begin) * Pick(8, 40) / 10);
    AddUpdate(begin, running);
    if (Coin()) AddUpdate(Pick(begin, end - 1), running);
    AddRecords(run, begin, end);
    if (is_last) {
      AddUpdate(end, EndedJob(run, Coin() ? v1::JOB_STATE_CANCELLED : v1::JOB_STATE_COMPLETED));
    } else {
      v1::Job pending = JobOf(job_id);
      pending.set_state(v1::JOB_STATE_PENDING);
      AddUpdate(end, pending);
    }
  }

  // Pieces of a run, each of which arrives in its time or late, also after the end.
  void AddRecords(const RunOfJob& run, int64_t begin, int64_t end) {
    int64_t from = begin;
    while (from < end) {
      const int64_t to = Coin() ? end : std::min(end, from + Pick(1000, 7200));
      const RunOfJob piece = {run.job_id, ChargeSecond(from), ChargeSecond(to), run.cpus};
      ChargedMessage message;
      message.second = to + (Coin() ? 0 : Pick(0, 5 * 3600));
      *message.record.emplace().add_records() =
          Collected(absl::StrCat(run.job_id, "/", from), piece);
      all.push_back(std::move(message));
      from = to;
    }
  }

  void AddUpdate(int64_t second, const v1::Job& job) {
    ChargedMessage message;
    message.second = second;
    message.update = Upserts({job});
    all.push_back(std::move(message));
  }

  std::mt19937& random_;
};

// What has been reported, and what it makes of it by the definition.
class ChargeModel {
 public:
  void Take(const ChargedMessage& message) {
    if (message.record.has_value()) {
      const v1::UsageRecord& record = message.record->records(0);
      records_[record.record_id()] = record;
    } else {
      jobs_[message.update->upserts(0).job_id()] = message.update->upserts(0);
    }
  }

  double UsageAt(absl::Time at) const {
    std::vector<Stretch> stretches;
    double ahead = 0;
    for (const auto& [id, record] : records_) {
      stretches.push_back(
          {TimeOf(record.start_time()), TimeOf(record.end_time()), record.tres().at("cpu")});
    }
    for (const auto& [id, job] : jobs_) {
      if (job.state() != v1::JOB_STATE_RUNNING) continue;
      const absl::Time start = TimeOf(job.start_time());
      const absl::Duration limit = absl::Seconds(job.time_limit().seconds());
      const absl::Time from = std::max(start, RecordedUntil(id, at));
      stretches.push_back({from, std::max(from, start + limit), job.cpus()});
      ahead +=
          job.cpus() * std::max(0.0, absl::ToDoubleSeconds(start + limit / 2 - std::max(from, at)));
    }
    return NaiveUsage(stretches, {{absl::InfinitePast(), absl::Hours(6)}}, TestEpoch(), at) + ahead;
  }

 private:
  static absl::Time TimeOf(const google::protobuf::Timestamp& time) {
    return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
  }

  absl::Time RecordedUntil(const std::string& job_id, absl::Time at) const {
    absl::Time until = absl::InfinitePast();
    for (const auto& [id, record] : records_) {
      if (record.job_id() == job_id) until = std::max(until, TimeOf(record.end_time()));
    }
    return std::min(until, at);
  }

  std::map<std::string, v1::UsageRecord> records_;
  std::map<std::string, v1::Job> jobs_;
};

// Whether a sender has to send again: docs/api.md, ABORTED = the outcome of a commit is unknown.
bool IsChargeToBeSentAgain(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE ||
         status.error_code() == grpc::StatusCode::ABORTED;
}

void SendCharge(TestService& service, const ChargedMessage& message) {
  grpc::Status status;
  do {
    if (message.update.has_value()) {
      UpdateJobs(service, *message.update, &status);
    } else {
      RecordUsage(service, *message.record, &status);
    }
  } while (IsChargeToBeSentAgain(status));
  ASSERT_TRUE(status.ok()) << status.error_code() << " " << status.error_message();
}

void RecalculateCharges(TestService& service, absl::Time time) {
  v1::RecalculateRequest request;
  *request.mutable_as_of() = ToTimestamp(time);
  grpc::Status status;
  do {
    Recalculate(service, request, &status);
  } while (IsChargeToBeSentAgain(status));
  ASSERT_TRUE(status.ok()) << status.error_message();
}

double ChargedUsage(TestService& service) {
  return ShareOf(ListShares(service), "a", "amy").raw_usage();
}

class ChargeAtStartPropertyTest : public ::testing::TestWithParam<int> {
 protected:
  ChargeAtStartPropertyTest() {
    Import(*replicas_[0], SmallSite(absl::StrCat(kPlainPolicy, kHalfOfLimit)));
    Import(plain_, SmallSite(kPlainPolicy));
    replicas_[1] = NewReplica();
  }

  std::unique_ptr<TestService> NewReplica() {
    return std::make_unique<TestService>(
        TestService::Options{.database_url = database_url_, .limits = {}});
  }

  void KillConnections() {
    storage::Database killer({.url = database_url_, .pool_size = 1});
    const auto killed = killer.Write([](storage::Transaction& t) {
      return t
          .Execute(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
              "WHERE datname = current_database() AND pid <> pg_backend_pid()")
          .status();
    });
    EXPECT_TRUE(killed.ok()) << killed;
  }

  // The site without the word, which nothing happens to.
  TestService plain_;
  std::unique_ptr<TestService> replicas_[2] = {std::make_unique<TestService>(), nullptr};
  const std::string database_url_ = replicas_[0]->database_url();
};

INSTANTIATE_TEST_SUITE_P(Seeds, ChargeAtStartPropertyTest, ::testing::Range(0, 10));

TEST_P(ChargeAtStartPropertyTest, TheBalanceIsThatOfWhatWasReported) {
  std::mt19937 random(GetParam());
  const ChargedMessages messages(random);
  const auto pick = [&](size_t below) {
    return std::uniform_int_distribution<size_t>(0, below - 1)(random);
  };
  ChargeModel model;
  // Each has the first snapshot, the replica that does not lead too.
  for (const auto& replica : replicas_) RecalculateCharges(*replica, Hour(0));
  RecalculateCharges(plain_, Hour(0));
  double reserved = 0;
  for (const ChargedMessage& message : messages.all) {
    SendCharge(plain_, message);
    SendCharge(*replicas_[pick(2)], message);
    if (pick(4) == 0) SendCharge(*replicas_[pick(2)], message);
    if (pick(6) == 0) KillConnections();
    // The leader stops, or the other one does.
    if (pick(8) == 0) {
      const size_t stopped = pick(2);
      replicas_[stopped].reset();
      replicas_[stopped] = NewReplica();
    }
    model.Take(message);
    if (pick(3) != 0) continue;
    const absl::Time now = ChargeSecond(message.second);
    TestService& service = *replicas_[pick(2)];
    RecalculateCharges(service, now);
    ExpectClose(ChargedUsage(service), model.UsageAt(now));
    reserved += ShareOf(ListShares(service), "a", "amy").reserved_usage();
  }
  EXPECT_GT(reserved, 0);
  RecalculateCharges(*replicas_[0], Hour(40));
  RecalculateCharges(plain_, Hour(40));
  EXPECT_EQ(ChargedUsage(*replicas_[0]), ChargedUsage(plain_));
}

}  // namespace
}  // namespace priorityd::rpc
