// The picture of a play.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_DRAW_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_DRAW_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/examples/batch_frontend/share_sample.h"
#include "client/examples/batch_frontend/summary.h"

namespace priorityd::batch_frontend {

// Draws an SVG with gnuplot, which must be installed: usage share over time of the
// summary's users with enough demand against their due shares.
absl::Status Draw(const std::vector<ShareSample>& samples, const Summary& summary,
                  const std::string& file);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_DRAW_H_
