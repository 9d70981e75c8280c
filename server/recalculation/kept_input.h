// What a leader keeps of a cluster between two recalculations.
#ifndef PRIORITYD_SERVER_RECALCULATION_KEPT_INPUT_H_
#define PRIORITYD_SERVER_RECALCULATION_KEPT_INPUT_H_

#include <optional>

#include "absl/status/status.h"
#include "server/recalculation/kept_usage.h"
#include "server/recalculation/recalculation_input.h"
#include "server/recalculation/usage_publication.h"

namespace priorityd::recalculation {

// All that is needed to read only what changed, in as little memory as it takes: no rows of
// the configuration, which is made already, and usage packed.
class KeptInput {
 public:
  // That of a recalculation that was published.
  KeptInput(RecalculationInput input, PublishedUsage published);

  // For the next recalculation. INTERNAL if it cannot be had any more.
  absl::Status TakeOut(RecalculationInput* input, PublishedUsage* published) &&;

 private:
  RecalculationInput input_;
  PublishedUsage published_;
  KeptUsage usage_;
  bool is_as_published_;  // Then the hashes are those of `usage_` and are not kept.
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_KEPT_INPUT_H_
