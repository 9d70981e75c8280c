// Nice values that leases give jobs of the tracked queue.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_LEASED_NICE_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_LEASED_NICE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"

namespace priorityd::priority {

struct LeasedNice {
  int32_t nice = 0;
  absl::Time until;             // The next change of the value.
  std::optional<int32_t> then;  // The value from then on; unset = the job's own.
  int64_t lease_id = 0;
  bool operator==(const LeasedNice&) const = default;
};

// By job_id.
using LeasedNices = absl::flat_hash_map<std::string, LeasedNice>;

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_LEASED_NICE_H_
