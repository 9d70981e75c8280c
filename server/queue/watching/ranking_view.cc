#include "server/queue/watching/ranking_view.h"

namespace priorityd::queue {

RankingView::RankingView(ViewSpec spec, const Encoder* encoder)
    : spec_(std::move(spec)), encoder_(encoder) {}

RankingView::Answer RankingView::After(int64_t version) {
  absl::MutexLock lock(&mutex_);
  if (version == version_) return {version, nullptr};
  if (version + 1 == version_ && step_ != nullptr) return {version_, step_};
  if (state_ == nullptr) state_ = std::make_shared<const std::string>(encoder_->State(*top_));
  return {version_, state_};
}

bool RankingView::Publish(std::shared_ptr<const RankingTop> top) {
  const std::shared_ptr<const RankingTop> before = this->top();
  Message step;
  if (before != nullptr) {
    const TopDelta delta = Compare(*before, *top);
    if (!delta.empty() || before->ranked_total != top->ranked_total ||
        before->others != top->others || before->ineligible_total != top->ineligible_total) {
      step = std::make_shared<const std::string>(encoder_->Delta(*before, *top, delta));
    }
  }
  const bool is_news = before == nullptr || step != nullptr;
  absl::MutexLock lock(&mutex_);
  top_ = std::move(top);
  state_ = nullptr;
  if (!is_news) return false;
  step_ = std::move(step);
  ++version_;
  return true;
}

std::shared_ptr<const RankingTop> RankingView::top() const {
  absl::MutexLock lock(&mutex_);
  return top_;
}

}  // namespace priorityd::queue
