// A line on the terminal that shows how far a long command is.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_PROGRESS_BAR_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_PROGRESS_BAR_H_

#include <cstdint>
#include <ostream>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::prioctl {

// Draws on one line that it draws over and takes away when it goes. Draws
// nothing where `enabled` is false (not a terminal).
class ProgressBar {
 public:
  // REQUIRES: `out` outlives this.
  ProgressBar(std::ostream* out, bool enabled) : out_(out), enabled_(enabled) {}
  ~ProgressBar() { Clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // `done` of `total`, with a few words behind; total 0 = not known.
  void Show(int64_t done, int64_t total, absl::string_view words);

  // Takes the line away, so that something else can be printed.
  void Clear();

 private:
  std::ostream* const out_;
  const bool enabled_;
  bool drawn_ = false;
};

// The bar itself: `[#####     ]  50% 500 records`.
std::string BarText(int64_t done, int64_t total, absl::string_view words);

// `00:01:30 left`, if the rest takes as long for each part as the `done` parts did in `took`; empty
// before the first part is done.
std::string TimeLeftText(int64_t done, int64_t total, absl::Duration took);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_PROGRESS_BAR_H_
