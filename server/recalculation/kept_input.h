// A cluster's input that the leader keeps between two recalculations.
#ifndef PRIORITYD_SERVER_RECALCULATION_KEPT_INPUT_H_
#define PRIORITYD_SERVER_RECALCULATION_KEPT_INPUT_H_

#include <optional>

#include "absl/status/status.h"
#include "server/recalculation/kept_usage.h"
#include "server/recalculation/recalculation_input.h"
#include "server/recalculation/usage_publication.h"

namespace priorityd::recalculation {

// Everything needed to read only changes next time, in little memory: usage is packed, and the
// configuration's rows are dropped, since the configuration is built.
class KeptInput {
 public:
  // Keeps the input of a recalculation that was published as `published`.
  KeptInput(RecalculationInput input, PublishedUsage published);

  // Restores the input for the next recalculation. INTERNAL if it cannot be unpacked.
  absl::Status TakeOut(RecalculationInput* input, PublishedUsage* published) &&;

 private:
  RecalculationInput input_;
  PublishedUsage published_;
  KeptUsage usage_;
  bool is_as_published_;  // True: the hashes follow from `usage_` and are not kept.
};

}  // namespace priorityd::recalculation

#endif  // PRIORITYD_SERVER_RECALCULATION_KEPT_INPUT_H_
