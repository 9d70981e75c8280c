// A job with a value in every member, whatever the members are.
#ifndef PRIORITYD_TESTS_SERVER_QUEUE_STATE_FULL_JOB_H_
#define PRIORITYD_TESTS_SERVER_QUEUE_STATE_FULL_JOB_H_

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "server/queue/state/job_members.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// Each member differs from its default and, where its type allows it, from all others. Texts are
// taken from `texts` in turn, from the one with number `first` on; names are never empty.
class FullJob {
 public:
  FullJob(std::vector<std::string> texts, size_t first) : texts_(std::move(texts)), next_(first) {
    ForEachJobMember([this](const auto& member, size_t) { Set(member.Of(job_)); });
    job_.job.job_id = Keep(absl::StrCat("id ", first));
    job_.job.user = Keep(absl::StrCat("user ", Text()));
  }
  FullJob(const FullJob&) = delete;
  FullJob& operator=(const FullJob&) = delete;

  const TrackedJob& job() const { return job_; }

 private:
  absl::string_view Keep(std::string text) { return kept_.emplace_back(std::move(text)); }
  absl::string_view Text() { return texts_[next_++ % texts_.size()]; }

  void Set(absl::string_view& text) { text = Text(); }
  void Set(JobNames& names) { names = {Text(), Text()}; }
  void Set(JobTres& tres) { tres = {{"cpu", 1. / 3}, {"gres/gpu", 2}}; }
  void Set(JobPairs& pairs) { pairs = {{Text(), Text(), 1}, {Text(), Text(), 4294967295}}; }
  void Set(bool& flag) { flag = true; }
  void Set(std::optional<bool>& flag) { flag = false; }  // Is not unset.
  void Set(double& number) { number = 0.1; }
  template <typename Integer>
  requires std::is_integral_v<Integer>
  void Set(Integer& number) {
    const auto limit = std::is_signed_v<Integer> ? std::numeric_limits<Integer>::min()
                                                 : std::numeric_limits<Integer>::max();
    number = std::is_signed_v<Integer> ? limit + ++count_ : limit - ++count_;
  }
  void Set(absl::Time& time) { time = absl::FromUnixMicros(1700000000123457 + ++count_); }
  void Set(absl::Duration& length) { length = absl::Microseconds(++count_); }
  void Set(priority::JobState& state) { state = priority::JobState::kSuspended; }
  void Set(priority::Hold& hold) { hold = priority::Hold::kAdmin; }
  void Set(JobEnd& end) { end = JobEnd::kNodeFail; }
  template <typename Value>
  void Set(std::optional<Value>& value) {
    Set(value.emplace());
  }

  const std::vector<std::string> texts_;
  size_t next_;
  int count_ = 0;
  std::deque<std::string> kept_;
  TrackedJob job_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_TESTS_SERVER_QUEUE_STATE_FULL_JOB_H_
