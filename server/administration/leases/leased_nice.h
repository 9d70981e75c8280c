// The nice values of jobs under leases, without I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASED_NICE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASED_NICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/priority/site/leased_nice.h"
#include "server/administration/settings/setting.h"
#include "storage/configuration/lease_store.h"

namespace priorityd::administration {

inline constexpr char kJobKind[] = "job";  // Of ObjectKey.

// The settings of a lease of jobs.
std::vector<Setting> NiceSettings(int32_t nice);

// By the leases of jobs among `open`, which are in the order in which they are folded: the last one
// in effect at `time` decides.
priority::LeasedNices LeasedNicesAt(absl::Span<const storage::Lease> open, absl::Time time);

// The ids of the jobs that have leases, each once.
std::vector<std::string> LeasedJobIds(absl::Span<const storage::Lease> leases);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_LEASES_LEASED_NICE_H_
