// A site factor service inside a test.
#ifndef PRIORITYD_TESTS_SERVER_SITE_FACTOR_SCRIPTED_SERVICE_H_
#define PRIORITYD_TESTS_SERVER_SITE_FACTOR_SCRIPTED_SERVICE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/site_factor/site_factor_service.h"

namespace priorityd::site_factor {

// What is asked, and what is answered. Thread-safe; outlives its connections.
class Script {
 public:
  struct Asked {
    std::string cluster;
    absl::Time as_of;
    std::vector<std::string> job_ids;
  };
  using AnswerTo = std::function<Answer(const Asked&)>;

  explicit Script(AnswerTo answer) : answer_(std::move(answer)) {}

  Answer Take(const Question& question) {
    Asked asked{question.cluster, question.as_of, {}};
    for (const queue::TrackedJob& job : question.jobs) {
      asked.job_ids.push_back(std::string(job.job.job_id));
    }
    absl::MutexLock lock(&mutex_);
    asked_.push_back(asked);
    return answer_(asked);
  }
  void SetAnswer(AnswerTo answer) {
    absl::MutexLock lock(&mutex_);
    answer_ = std::move(answer);
  }
  std::vector<Asked> asked() {
    absl::MutexLock lock(&mutex_);
    return asked_;
  }
  // Waits for so many questions; false if they do not come.
  bool AwaitAsked(size_t count) {
    const auto there = [&] {
      mutex_.AssertHeld();
      return asked_.size() >= count;
    };
    absl::MutexLock lock(&mutex_);
    return mutex_.AwaitWithTimeout(absl::Condition(&there), absl::Minutes(1));
  }

 private:
  absl::Mutex mutex_;
  AnswerTo answer_ ABSL_GUARDED_BY(mutex_);
  std::vector<Asked> asked_ ABSL_GUARDED_BY(mutex_);
};

// Every job asked about has this factor.
inline Script::AnswerTo Everything(int64_t factor) {
  return [factor](const Script::Asked& asked) {
    std::vector<queue::SiteFactor> factors;
    for (const std::string& id : asked.job_ids) factors.push_back({id, factor});
    return factors;
  };
}

// One connection, which answers at once.
class ScriptedService : public SiteFactorService {
 public:
  explicit ScriptedService(Script* script) : script_(script) {}
  void Ask(const Question& question, std::function<void(Answer)> done) override {
    done(script_->Take(question));
  }
  void Cancel() override {}

 private:
  Script* const script_;
};

}  // namespace priorityd::site_factor

#endif  // PRIORITYD_TESTS_SERVER_SITE_FACTOR_SCRIPTED_SERVICE_H_
