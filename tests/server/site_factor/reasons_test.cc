// Reasons are asked for one job, for a reader, by one caller at a time.
#include "server/site_factor/reasons.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/threads/clock.h"
#include "tests/server/queue/replication/stored_queue.h"

namespace priorityd::site_factor {
namespace {

// Answers each question with the same answer, or keeps it until Release.
class ReaderService {
 public:
  explicit ReaderService(Answer answer) : answer_(std::move(answer)) {}

  SiteFactors::Connect Connect() {
    return [this](const std::string&) { return std::make_unique<Connection>(this); };
  }
  void Hold() {
    absl::MutexLock lock(&mutex_);
    holds_ = true;
  }
  void Release() {
    absl::MutexLock lock(&mutex_);
    holds_ = false;
    for (const auto& done : std::exchange(held_, {})) done(answer_);
  }
  bool AwaitHeld(size_t count) {
    const auto there = [&] {
      mutex_.AssertHeld();
      return held_.size() == count;
    };
    absl::MutexLock lock(&mutex_);
    return mutex_.AwaitWithTimeout(absl::Condition(&there), absl::Minutes(1));
  }
  std::vector<Question> asked() {
    absl::MutexLock lock(&mutex_);
    return asked_;
  }

 private:
  class Connection : public SiteFactorService {
   public:
    explicit Connection(ReaderService* service) : service_(service) {}
    void Ask(const Question& question, std::function<void(Answer)> done) override {
      service_->Take(question, std::move(done));
    }
    void Cancel() override {}

   private:
    ReaderService* const service_;
  };

  void Take(const Question& question, std::function<void(Answer)> done) {
    absl::MutexLock lock(&mutex_);
    asked_.push_back(question);
    if (holds_) return held_.push_back(std::move(done));
    done(answer_);
  }

  const Answer answer_;
  absl::Mutex mutex_;
  bool holds_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::function<void(Answer)>> held_ ABSL_GUARDED_BY(mutex_);
  std::vector<Question> asked_ ABSL_GUARDED_BY(mutex_);
};

class ReasonsTest : public testing::Test {
 protected:
  ReasonsTest() {
    priority::Policy policy;
    policy.site_factor_plugin = "localhost:7";
    policy.site_factor_parameters = "queue=gpu";
    snapshot_ = queue_.Recalculate(policy);
    job_.job.job_id = "1";
  }
  std::optional<queue::SiteFactor> Ask(ReaderService& service) {
    return Reasons(service.Connect(), clock_).Ask(*snapshot_, job_);
  }

  queue::StoredQueue queue_;
  std::shared_ptr<const priority::Snapshot> snapshot_;
  queue::TrackedJob job_;
  absl::Time now_ = absl::UnixEpoch();
  const threads::Clock clock_ = [this] { return now_; };
};

TEST_F(ReasonsTest, TheServiceIsAskedAboutTheJobAloneForAReader) {
  ReaderService service(std::vector<queue::SiteFactor>{{"1", 40, "amy waits"}});
  const auto reason = Ask(service);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->site_factor, 40);
  EXPECT_EQ(reason->reason, "amy waits");
  const std::vector<Question> asked = service.asked();
  ASSERT_EQ(asked.size(), 1);
  EXPECT_TRUE(asked[0].explains);
  EXPECT_EQ(asked[0].cluster, "small");
  EXPECT_EQ(asked[0].parameters, "queue=gpu");
  EXPECT_EQ(asked[0].as_of, snapshot_->computed_at());
  EXPECT_EQ(asked[0].timeout, Reasons::kTimeout);
  EXPECT_EQ(asked[0].jobs.size(), 1);
}

TEST_F(ReasonsTest, FailuresAndAnswersWithoutAValidReasonAreNone) {
  using Factors = std::vector<queue::SiteFactor>;
  const std::vector<Answer> answers = {absl::UnavailableError("gone"), Factors{},
                                       Factors{{"1", 40, ""}}, Factors{{"2", 40, "another job"}},
                                       Factors{{"1", 1LL << 40, "out of range"}}};
  for (const Answer& answer : answers) {
    ReaderService service(answer);
    EXPECT_FALSE(Ask(service).has_value()) << answer.status();
  }
}

TEST_F(ReasonsTest, OneCallerWaitsAndOthersGetNoReason) {
  ReaderService service(std::vector<queue::SiteFactor>{{"1", 40, "amy waits"}});
  Reasons reasons(service.Connect(), clock_);
  service.Hold();
  std::thread caller([&] { EXPECT_TRUE(reasons.Ask(*snapshot_, job_).has_value()); });
  EXPECT_TRUE(service.AwaitHeld(1));
  EXPECT_FALSE(reasons.Ask(*snapshot_, job_).has_value());
  service.Release();
  caller.join();
  EXPECT_TRUE(reasons.Ask(*snapshot_, job_).has_value());
  EXPECT_EQ(service.asked().size(), 2);
}

TEST_F(ReasonsTest, AServiceThatFailedIsNotAskedForAWhile) {
  ReaderService service(absl::DeadlineExceededError("late"));
  Reasons reasons(service.Connect(), clock_);
  for (int i = 0; i < 3; ++i) reasons.Ask(*snapshot_, job_);
  EXPECT_EQ(service.asked().size(), 1);
  now_ += Reasons::kPause;
  reasons.Ask(*snapshot_, job_);
  EXPECT_EQ(service.asked().size(), 2);
}

TEST_F(ReasonsTest, TheServiceOfAnotherPolicyIsStillAsked) {
  ReaderService service(absl::DeadlineExceededError("late"));
  Reasons reasons(service.Connect(), clock_);
  reasons.Ask(*snapshot_, job_);
  priority::Policy another = snapshot_->policy();
  another.site_factor_plugin = "localhost:8";
  reasons.Ask(*queue_.Recalculate(another), job_);
  EXPECT_EQ(service.asked().size(), 2);
}

}  // namespace
}  // namespace priorityd::site_factor
