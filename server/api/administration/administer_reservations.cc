#include "server/api/administration/administer_reservations.h"

#include <memory>
#include <string>

#include "engine/priority/jobs/reservation_access.h"
#include "engine/priority/snapshot/snapshot.h"
#include "server/administration/changes/reservation_change.h"
#include "server/api/administration/check_names.h"
#include "server/api/administration/list_named.h"
#include "server/api/administration/validate_administration.h"
#include "server/api/shared/convert_change.h"
#include "server/configuration/stored_rows.h"
#include "storage/configuration/reservation_store.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using administration::ChangeList;
using administration::Reach;

// Whether a user may use a reservation with one of the user's accounts. A merged user has those of
// the surviving one.
bool MayUseSomehow(const priority::Reservation& reservation, const std::string& user,
                   const priority::AssociationTree& tree) {
  const absl::string_view survivor = tree.SurvivorOf(user);
  for (priority::AssociationIndex i = 0; i < tree.size(); ++i) {
    if (tree.user(i) == survivor && priority::MayUse(reservation, user, i, tree)) return true;
  }
  return false;
}

}  // namespace

absl::Status ListReservations(const AdministrationCall& call,
                              const v1::ListReservationsRequest& request,
                              v1::ListReservationsResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const authorization::Visibility& sees = call.caller.sees();
  std::shared_ptr<const priority::Snapshot> snapshot;
  if (!sees.sees_all_reservations()) {
    auto newest = call.registry.Find(call.cluster);
    if (!newest.ok()) return newest.status();
    snapshot = *std::move(newest);
  }
  const absl::Time now = ClockOf(call);
  return ListNamed<storage::ReservationStore>(
      call, request, response, [&](const storage::Reservation& reservation) {
        if (snapshot != nullptr &&
            !MayUseSomehow(configuration::ToEngine(reservation), sees.user(), snapshot->tree())) {
          return;
        }
        NameAndAttributesToProto(reservation.name,
                                 administration::ShownAttributesOf(reservation, now),
                                 response->add_reservations());
      });
}

absl::Status UpdateReservations(const AdministrationCall& call,
                                const v1::UpdateReservationsRequest& request,
                                v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  const administration::ChangeFrame frame = FrameOf(call, request.options());
  auto result = MakeChange(
      call.database, frame, Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::UpdateReservations(transaction, cluster, ToNames(request.names()),
                                                  ToSettings(request.settings()),
                                                  request.allow_missing(), frame.time, list);
      });
  return Answer(call, request.options(), result, response);
}

absl::Status DeleteReservations(const AdministrationCall& call,
                                const v1::DeleteReservationsRequest& request,
                                v1::ChangeResponse* response) {
  if (absl::Status s = Validate(request); !s.ok()) return s;
  auto result = MakeChange(
      call.database, FrameOf(call, request.options()), Reach::kTree,
      [&](storage::Transaction& transaction, const storage::Cluster& cluster, ChangeList* list) {
        return administration::DeleteReservations(transaction, cluster, ToNames(request.names()),
                                                  call.now, list);
      });
  return Answer(call, request.options(), result, response);
}

}  // namespace priorityd::rpc
