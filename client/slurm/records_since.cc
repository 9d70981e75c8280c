#include "client/slurm/records_since.h"

#include <algorithm>

namespace priorityd::slurm_frontend {
namespace {

constexpr absl::Duration kLateRecords = absl::Hours(2);
constexpr absl::Duration kAfterOutage = absl::Hours(1);

}  // namespace

absl::Time RecordsSince::Begin(absl::Time now) const {
  if (last_ == absl::InfinitePast()) return now - first_;
  const absl::Time begin = last_ - kLateRecords;
  return now < outage_read_until_ ? std::min(begin, outage_begin_) : begin;
}

void RecordsSince::Recorded(absl::Time now) {
  if (last_ != absl::InfinitePast() && now - last_ > kLateRecords) {
    outage_begin_ = Begin(now);
    outage_read_until_ = now + kAfterOutage;
  }
  last_ = now;
}

}  // namespace priorityd::slurm_frontend
