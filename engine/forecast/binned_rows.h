// The rows of examples as columns of small numbers, between which a tree looks for its splits.
#ifndef PRIORITYD_ENGINE_FORECAST_BINNED_ROWS_H_
#define PRIORITYD_ENGINE_FORECAST_BINNED_ROWS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "engine/forecast/example.h"
#include "engine/forecast/features.h"

namespace priorityd::forecast {

// Each feature has up to kMostBins bins of about equally many examples; with fewer values each has
// its own.
class BinnedRows {
 public:
  static constexpr size_t kMostBins = 256;

  explicit BinnedRows(absl::Span<const Example> examples);

  size_t size() const { return size_; }
  // The bins of a feature, by example.
  const uint8_t* Column(size_t feature) const { return bins_.data() + feature * size_; }
  // The values up to which, including them, each bin but the last one goes; ascending.
  absl::Span<const float> Cuts(size_t feature) const { return cuts_[feature]; }

 private:
  size_t size_ = 0;
  std::array<std::vector<float>, kFeatures> cuts_;
  std::vector<uint8_t> bins_;
};

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_BINNED_ROWS_H_
