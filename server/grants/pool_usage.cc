#include "server/grants/pool_usage.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace priorityd::grants {
namespace {

bool BeginsAt(const std::vector<Period>& periods, absl::Time time) {
  const auto found = std::lower_bound(
      periods.begin(), periods.end(), time,
      [](const Period& period, absl::Time wanted) { return period.begin < wanted; });
  return found != periods.end() && found->begin == time;
}

// Appends a period without usage that begins at `begin`.
void Append(absl::Time begin, std::vector<Period>* periods) {
  if (!periods->empty()) periods->back().end = begin;
  periods->push_back({begin, absl::InfiniteFuture(), Amount()});
}

}  // namespace

std::vector<Period>::iterator PoolUsage::Find(absl::Time time) {
  const auto after = std::upper_bound(
      periods_.begin(), periods_.end(), time,
      [](absl::Time wanted, const Period& period) { return wanted < period.begin; });
  return after == periods_.begin() ? periods_.end() : after - 1;
}

void PoolUsage::AddRate(Rate rate, absl::Time start, absl::Time end, bool there) {
  if (periods_.empty() || end <= periods_.front().begin) return;
  may_differ_ = true;
  start = std::max(start, periods_.front().begin);
  for (auto period = Find(start); start < end; ++period) {
    const absl::Time until = std::min(end, period->end);
    const Amount used = Amount::OfRate(rate, until - start);
    period->used += there ? used : -used;
    start = until;
  }
}

std::optional<absl::Time> PoolUsage::Divide(absl::Span<const absl::Time> boundaries) {
  const auto missing =
      absl::c_find_if(boundaries, [this](absl::Time time) { return !BeginsAt(periods_, time); });
  if (missing == boundaries.end()) return std::nullopt;
  if (periods_.empty() || *missing < periods_.back().begin || periods_.back().used != Amount()) {
    return *missing;
  }
  may_differ_ = true;
  for (auto at = missing; at != boundaries.end(); ++at) {
    if (*at > periods_.back().begin) Append(*at, &periods_);
  }
  return std::nullopt;
}

void PoolUsage::Forget(absl::Time time) {
  const auto is_past = [time](const Period& period) { return period.end <= time; };
  if (std::erase_if(periods_, is_past) > 0) may_differ_ = true;
}

void PoolUsage::Cut(absl::Time from, absl::Span<const absl::Time> boundaries) {
  may_differ_ = true;
  std::vector<absl::Time> begins(boundaries.begin(), boundaries.end());
  begins.push_back(from);
  const auto later = absl::c_find_if(periods_, [from](const Period& p) { return p.begin >= from; });
  std::vector<Period> kept(periods_.begin(), later);
  cut_ = from;
  before_join_ = kept.empty() ? Amount() : kept.back().used;
  for (auto period = later; period != periods_.end(); ++period) {
    before_join_ += period->used;
    begins.push_back(period->begin);
  }
  absl::c_sort(begins);
  begins.erase(std::unique(begins.begin(), begins.end()), begins.end());
  for (const absl::Time begin : begins) {
    if (begin >= from) Append(begin, &kept);
  }
  periods_ = std::move(kept);
}

void PoolUsage::Join() {
  auto period = absl::c_find_if(periods_, [this](const Period& p) { return p.begin == cut_; });
  if (period == periods_.begin()) return;
  Amount added;
  for (auto later = period; later != periods_.end(); ++later) added += later->used;
  (period - 1)->used = before_join_ - added;
}

}  // namespace priorityd::grants
