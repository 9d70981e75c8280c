// `scontrol show reservation`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_JOBS_RESERVATION_SHEET_H_
#define PRIORITYD_CLIENT_PRIOCTL_JOBS_RESERVATION_SHEET_H_

#include <string>

#include "priority/v1/reservation.pb.h"

namespace priorityd::jobs {

// As Slurm prints it, with local times. What priorityd does not know of it is (null).
std::string ReservationSheet(const ::priority::v1::Reservation& reservation, bool one_line);

}  // namespace priorityd::jobs

#endif  // PRIORITYD_CLIENT_PRIOCTL_JOBS_RESERVATION_SHEET_H_
