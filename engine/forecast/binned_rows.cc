#include "engine/forecast/binned_rows.h"

#include <algorithm>

namespace priorityd::forecast {
namespace {

// `values`: sorted. Without the greatest one, which needs no cut.
std::vector<float> CutsOf(const std::vector<float>& values) {
  std::vector<float> cuts;
  std::unique_copy(values.begin(), values.end(), std::back_inserter(cuts));
  cuts.pop_back();
  if (cuts.size() < BinnedRows::kMostBins) return cuts;
  cuts.clear();
  for (size_t bin = 1; bin < BinnedRows::kMostBins; ++bin) {
    const float value = values[bin * values.size() / BinnedRows::kMostBins];
    if (value < values.back() && (cuts.empty() || value > cuts.back())) cuts.push_back(value);
  }
  return cuts;
}

}  // namespace

BinnedRows::BinnedRows(absl::Span<const Example> examples)
    : size_(examples.size()), bins_(kFeatures * examples.size()) {
  if (examples.empty()) return;
  std::vector<float> values(size_);
  for (size_t feature = 0; feature < kFeatures; ++feature) {
    for (size_t i = 0; i < size_; ++i) values[i] = examples[i].row[feature];
    std::sort(values.begin(), values.end());
    const std::vector<float>& cuts = cuts_[feature] = CutsOf(values);
    uint8_t* column = bins_.data() + feature * size_;
    for (size_t i = 0; i < size_; ++i) {
      const auto cut = std::lower_bound(cuts.begin(), cuts.end(), examples[i].row[feature]);
      column[i] = static_cast<uint8_t>(cut - cuts.begin());
    }
  }
}

}  // namespace priorityd::forecast
