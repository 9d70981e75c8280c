// The term of a lease in a request: options.from and options.until, or the settings From and Until.
#ifndef PRIORITYD_SERVER_API_SHARED_LEASE_TERM_H_
#define PRIORITYD_SERVER_API_SHARED_LEASE_TERM_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "priority/v1/administration.pb.h"
#include "server/administration/leases/lease_change.h"
#include "server/administration/settings/setting.h"

namespace priorityd::rpc {

struct LeasePeriod {
  absl::Time begin;
  absl::Time end;
};

// The period that a request gives; nullopt = none: the change has no end. Removes From and Until
// from `settings`; their values are times in `zone`, `now+3days`, or RFC 3339. A begin in the past
// is `now`. INVALID_ARGUMENT (INVALID_FIELD) names the option or the setting: an end in the past or
// more than 10 years ahead, a begin at or after the end, or without an end, nothing else to set.
absl::StatusOr<std::optional<LeasePeriod>> TakeLeasePeriod(
    const ::priority::v1::ChangeOptions& options, absl::Time now, absl::TimeZone zone,
    std::vector<administration::Setting>* settings);

// The same of two texts of a request; an empty `from` is `now`. REQUIRES: `until` is not empty.
absl::StatusOr<LeasePeriod> ReadLeasePeriod(const std::string& from, const std::string& until,
                                            absl::Time now, absl::TimeZone zone);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_SHARED_LEASE_TERM_H_
