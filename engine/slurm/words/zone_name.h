// Names of time zones.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_ZONE_NAME_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_ZONE_NAME_H_

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::slurm {

// Finds the zone of an IANA name; false = there is none. A name that is a path, or long, is none.
bool FindZone(absl::string_view name, absl::TimeZone* zone);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_ZONE_NAME_H_
