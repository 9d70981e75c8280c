// ListReservations, UpdateReservations, DeleteReservations.
#ifndef PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_RESERVATIONS_H_
#define PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_RESERVATIONS_H_

#include "absl/status/status.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/reservation.pb.h"
#include "server/api/shared/administration_call.h"

namespace priorityd::rpc {

// Each: INVALID_ARGUMENT with the violations; errors of administration/reservation_change.h and of
// administration::MakeChange.

// With PrivateData=reservations, those that the caller may use by the newest snapshot's
// associations: FAILED_PRECONDITION (NO_SNAPSHOT) before the first one.
absl::Status ListReservations(const AdministrationCall& call,
                              const ::priority::v1::ListReservationsRequest& request,
                              ::priority::v1::ListReservationsResponse* response);

absl::Status UpdateReservations(const AdministrationCall& call,
                                const ::priority::v1::UpdateReservationsRequest& request,
                                ::priority::v1::ChangeResponse* response);
absl::Status DeleteReservations(const AdministrationCall& call,
                                const ::priority::v1::DeleteReservationsRequest& request,
                                ::priority::v1::ChangeResponse* response);

}  // namespace priorityd::rpc

#endif  // PRIORITYD_SERVER_API_ADMINISTRATION_ADMINISTER_RESERVATIONS_H_
