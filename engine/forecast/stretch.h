// Waits behind more work than a forest has seen.
#ifndef PRIORITYD_ENGINE_FORECAST_STRETCH_H_
#define PRIORITYD_ENGINE_FORECAST_STRETCH_H_

#include <vector>

#include "absl/types/span.h"
#include "engine/forecast/example.h"

namespace priorityd::forecast {

// A forest answers with waits of its examples, so none is longer than theirs. Where the queue has
// more work than at nearly all of them, such as after an outage or at the end of a reservation, the
// waits are stretched in proportion.
class Stretch {
 public:
  // Without examples: 1 for each row.
  Stretch() = default;
  explicit Stretch(absl::Span<const Example> examples);

  // The multiple of the waits for a job with this row that cannot start for `earliest` seconds, at
  // least 1: the expected work that waits by that of the .95 quantile of the examples, or by an
  // hour if that is more. Until `earliest` jobs keep coming, and half of what the cluster can do
  // meanwhile counts as work ahead of the job.
  double Of(const Row& row, double earliest) const;

 private:
  double most_usual_ = 0;  // Expected work by capacity, in seconds; 0 = not known.
};

// A quantile on the scale of ToScale after such a multiple: all of it from the level .9 on, less of
// it for lower ones, as its logarithm in proportion to the level. In a long queue some jobs still
// start at once. REQUIRES: `multiple` is at least 1.
double Stretched(double quantile, double level, double multiple);

}  // namespace priorityd::forecast

#endif  // PRIORITYD_ENGINE_FORECAST_STRETCH_H_
