// The features of a forecast: one table of names, and a row of values.
#ifndef PRIORITYD_ENGINE_FORECAST_FEATURES_H_
#define PRIORITYD_ENGINE_FORECAST_FEATURES_H_

#include <array>
#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::forecast {

// The number of features, which is the length of a row.
inline constexpr size_t kFeatures = 109;

// The value of a feature that is not known; below all others.
inline constexpr float kMissing = -1e9F;

// The index of `queue_expected_work`: CPUs x expected run time of the waiting jobs, by the
// capacity.
inline constexpr size_t kQueueExpectedWork = 8;

using Row = std::array<float, kFeatures>;

struct FeatureInfo {
  absl::string_view name;   // `queue_work`
  absl::string_view group;  // The subject of the feature, in words for users: `the queue ahead`.
};

// By index in a row.
absl::Span<const FeatureInfo> Features();

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_FEATURES_H_
