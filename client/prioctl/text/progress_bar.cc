#include "client/prioctl/text/progress_bar.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/text/text.h"

namespace priorityd::prioctl {
namespace {

constexpr int kBarWidth = 30;

}  // namespace

std::string BarText(int64_t done, int64_t total, absl::string_view words) {
  if (total <= 0) return std::string(words);
  const double part = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
  const int filled = static_cast<int>(part * kBarWidth);
  return absl::StrCat("[", std::string(filled, '#'), std::string(kBarWidth - filled, ' '), "] ",
                      absl::StrFormat("%3d%% ", static_cast<int>(part * 100)), words);
}

std::string TimeLeftText(int64_t done, int64_t total, absl::Duration took) {
  if (done <= 0) return "";
  const absl::Duration left =
      took * (static_cast<double>(total - done) / static_cast<double>(done));
  google::protobuf::Duration seconds;
  seconds.set_seconds(absl::ToInt64Seconds(left));
  return absl::StrCat(DurationText(seconds), " left");
}

void ProgressBar::Show(int64_t done, int64_t total, absl::string_view words) {
  if (!enabled_) return;
  *out_ << "\r\x1b[K" << BarText(done, total, words) << std::flush;
  drawn_ = true;
}

void ProgressBar::Clear() {
  if (drawn_) *out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace priorityd::prioctl
