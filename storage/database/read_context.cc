#include "storage/database/read_context.h"

#include <algorithm>
#include <utility>

namespace priorityd::storage {
namespace {

thread_local const ReadContext* context_of_this_thread = nullptr;

// Later is no deadline: the clock's own end must not overflow.
constexpr absl::Duration kLongest = absl::Hours(24 * 365);

std::chrono::steady_clock::time_point In(absl::Duration left) {
  if (left > kLongest) return std::chrono::steady_clock::time_point::max();
  return std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(left);
}

}  // namespace

ReadContext::ReadContext(absl::Duration left, std::function<bool()> has_gone)
    : deadline_(In(left)), has_gone_(std::move(has_gone)) {}

absl::Duration ReadContext::Left() const {
  if (deadline_ == Time::max()) return absl::InfiniteDuration();
  return std::max(absl::FromChrono(deadline_ - std::chrono::steady_clock::now()),
                  absl::ZeroDuration());
}

absl::Status ReadContext::Check() const {
  if (Left() == absl::ZeroDuration()) {
    return absl::DeadlineExceededError("the call's deadline has passed");
  }
  return has_gone_() ? absl::CancelledError("the caller has gone") : absl::OkStatus();
}

const ReadContext* ReadContext::Current() { return context_of_this_thread; }

absl::Status ReadContext::CheckCurrent() {
  return context_of_this_thread == nullptr ? absl::OkStatus() : context_of_this_thread->Check();
}

ReadContext::Scope::Scope(const ReadContext* context)
    : outer_(std::exchange(context_of_this_thread, context)) {}

ReadContext::Scope::~Scope() { context_of_this_thread = outer_; }

}  // namespace priorityd::storage
