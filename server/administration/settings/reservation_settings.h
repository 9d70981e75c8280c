// Converts between stored reservations and scontrol's words, without I/O.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_RESERVATION_SETTINGS_H_
#define PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_RESERVATION_SETTINGS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/priority/site/reservation.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/settings/setting.h"
#include "storage/configuration/reservation_store.h"

namespace priorityd::administration {

// Its settings; empty for a new one.
Attributes AttributesOf(const storage::Reservation& reservation);

// Its settings, and what else `scontrol show reservation` shows.
Attributes ShownAttributesOf(const storage::Reservation& reservation, absl::Time now);

// `present` (id 0 = a new one) after `settings`, applied in order. Of Duration and EndTime the last
// one counts; a new StartTime leaves the Duration. INVALID_ARGUMENT with the fields
// `settings[0].name`, `.operator` and `.value`; also for a StartTime that has passed, and for that
// of a reservation that has begun.
absl::StatusOr<priority::Reservation> ApplySettings(const std::vector<Setting>& settings,
                                                    const storage::Reservation& present,
                                                    absl::Time now);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_SETTINGS_RESERVATION_SETTINGS_H_
