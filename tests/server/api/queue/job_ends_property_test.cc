// Ends of jobs and records of collectors in any order, on two replicas at once, with repetitions,
// killed connections and restarts: each run of a job counts once.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "storage/database/database.h"
#include "tests/server/service/ended_jobs_site.h"
#include "tests/server/service/usage_site.h"

namespace priorityd::rpc {
namespace {

constexpr int kJobs = 6;
constexpr int kHours = 24;
constexpr char kSite[] =
    "Clock=manual\nTimeZone=UTC\nPriorityDecayHalfLife=6:0:0\nUsageFromJobEnd=yes\n";

// What one sender sends, in order: a job's frontend, or a collector of one run.
struct Sender {
  std::vector<v1::UpdateJobsRequest> updates;
  std::vector<v1::RecordUsageRequest> records;
  size_t sent = 0;

  size_t size() const { return updates.size() + records.size(); }
};

// A site's history, and what of it counts: the collector's records of a run if there are any,
// otherwise the last end that its frontend reported.
class History {
 public:
  explicit History(std::mt19937& random) : random_(random) {
    for (int job = 1; job <= kJobs; ++job) AddJob(std::to_string(job));
  }

  std::vector<Sender> senders;
  std::vector<Stretch> counted;

 private:
  int Pick(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }
  bool Coin() { return Pick(0, 1) == 1; }

  void AddJob(const std::string& job_id) {
    Sender frontend;
    const int runs = Pick(1, 2);
    for (int i = 0; i < runs; ++i) AddRun(job_id, i * kHours / 2, &frontend);
    senders.push_back(frontend);
  }

  // A run within half a day from `first`.
  void AddRun(const std::string& job_id, int first, Sender* frontend) {
    RunOfJob run = {job_id, Hour(first + Pick(0, 3)), Hour(0), static_cast<double>(Pick(1, 9))};
    frontend->updates.push_back(Upserts({RunningJob(run)}));
    std::optional<RunOfJob> reported;
    // One end, or a first one and its corrections.
    for (int ends = Pick(0, 3); ends > 0; --ends) {
      run.end = Hour(first + Pick(4, 11));
      frontend->updates.push_back(Upserts({EndedJob(run)}));
      reported = run;
    }
    if (Coin()) {
      AddCollected(run, first);
    } else if (reported.has_value()) {
      counted.push_back({reported->start, reported->end, reported->cpus});
    }
  }

  // One record, or two with a gap, the first of which may be corrected. All overlap every end.
  void AddCollected(const RunOfJob& run, int first) {
    Sender collector;
    const absl::Time last = Hour(first + Pick(5, 11));
    RunOfJob piece = run;
    piece.cpus = Pick(1, 9);
    piece.end = Coin() ? last : run.start + absl::Minutes(30);
    const std::string id = absl::StrCat(run.job_id, "/", first);
    Collect(id, piece, "", &collector);
    if (Coin()) {
      piece.cpus += 1;
      Collect(absl::StrCat(id, "/corrected"), piece, id, &collector);
    }
    counted.push_back({piece.start, piece.end, piece.cpus});
    if (piece.end < last) {
      piece.start += absl::Minutes(45);
      piece.end = last;
      Collect(absl::StrCat(id, "/rest"), piece, "", &collector);
      counted.push_back({piece.start, piece.end, piece.cpus});
    }
    senders.push_back(collector);
  }

  static void Collect(const std::string& id, const RunOfJob& run, const std::string& replaces,
                      Sender* collector) {
    v1::RecordUsageRequest request;
    *request.add_records() = Collected(id, run);
    request.mutable_records(0)->set_replaces_record_id(replaces);
    collector->records.push_back(request);
  }

  std::mt19937& random_;
};

class JobEndsPropertyTest : public ::testing::TestWithParam<int> {
 protected:
  JobEndsPropertyTest() {
    Import(*replicas_[0], SmallSite(kSite));
    RecalculateAt(TestEpoch());
    replicas_[1] = NewReplica();
  }

  std::unique_ptr<TestService> NewReplica() {
    return std::make_unique<TestService>(
        TestService::Options{.database_url = replicas_[0]->database_url(), .limits = {}});
  }

  // Retries while the leader is elected again.
  void RecalculateAt(absl::Time time) {
    v1::RecalculateRequest request;
    *request.mutable_as_of() = ToTimestamp(time);
    grpc::Status status;
    do {
      Recalculate(*replicas_[0], request, &status);
    } while (IsToBeSentAgain(status));
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  // docs/api.md: ABORTED if the outcome of a commit is unknown.
  static bool IsToBeSentAgain(const grpc::Status& status) {
    return status.error_code() == grpc::StatusCode::UNAVAILABLE ||
           status.error_code() == grpc::StatusCode::ABORTED;
  }

  // Sends until it is taken: the sender's duty.
  static void SendNext(TestService& service, Sender* sender) {
    for (;;) {
      grpc::Status status;
      if (!sender->updates.empty()) {
        UpdateJobs(service, sender->updates[sender->sent], &status);
      } else {
        const auto answer = RecordUsage(service, sender->records[sender->sent], &status);
        if (status.ok()) {
          EXPECT_EQ(answer.accepted() + answer.duplicates(), 1) << answer.DebugString();
        }
      }
      if (status.ok()) break;
      ASSERT_TRUE(IsToBeSentAgain(status)) << status.error_code() << " " << status.error_message();
    }
    ++sender->sent;
  }

  void KillConnections() {
    storage::Database killer({.url = replicas_[0]->database_url(), .pool_size = 1});
    const auto killed = killer.Write([](storage::Transaction& t) {
      return t
          .Execute(
              "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
              "WHERE datname = current_database() AND pid <> pg_backend_pid()")
          .status();
    });
    EXPECT_TRUE(killed.ok()) << killed;
  }

  std::unique_ptr<TestService> replicas_[2] = {std::make_unique<TestService>(), nullptr};
};

INSTANTIATE_TEST_SUITE_P(Seeds, JobEndsPropertyTest, ::testing::Range(0, 12));

TEST_P(JobEndsPropertyTest, EachRunCountsOnceWhateverTheOrder) {
  std::mt19937 random(GetParam());
  History history(random);
  std::vector<Sender*> open;
  for (Sender& sender : history.senders) open.push_back(&sender);
  const auto pick = [&](size_t below) {
    return std::uniform_int_distribution<size_t>(0, below - 1)(random);
  };
  while (!open.empty()) {
    std::shuffle(open.begin(), open.end(), random);
    // Two at once, each on its own replica, and sometimes a kill in between.
    std::vector<std::thread> threads;
    for (size_t i = 0; i < std::min<size_t>(2, open.size()); ++i) {
      Sender* sender = open[i];
      if (sender->sent > 0 && pick(4) == 0) --sender->sent;  // Once more.
      threads.emplace_back([this, i, sender] { SendNext(*replicas_[i], sender); });
    }
    if (pick(3) == 0) KillConnections();
    for (std::thread& thread : threads) thread.join();
    if (pick(15) == 0) replicas_[1] = NewReplica();
    std::erase_if(open, [](Sender* sender) { return sender->sent == sender->size(); });
  }
  const absl::Time end = Hour(kHours);
  RecalculateAt(end);
  const double want =
      NaiveUsage(history.counted, {{absl::InfinitePast(), absl::Hours(6)}}, TestEpoch(), end);
  ExpectClose(ShareOf(ListShares(*replicas_[0]), "a", "amy").raw_usage(), want);
}

}  // namespace
}  // namespace priorityd::rpc
