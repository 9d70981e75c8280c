#include "engine/priority/jobs/reservation_access.h"

#include "absl/algorithm/container.h"

namespace priorityd::priority {
namespace {

bool Names(const AccessList& list, absl::string_view name) {
  return absl::c_any_of(list.names, [&](const std::string& named) { return named == name; });
}

bool NamesAccount(const AccessList& list, AssociationIndex association,
                  const AssociationTree& tree) {
  for (AssociationIndex i = association; i != kNoAssociation; i = tree.parent()[i]) {
    if (Names(list, tree.account(i))) return true;
    if (i == 0) break;
  }
  return false;
}

}  // namespace

bool MayUse(const Reservation& reservation, absl::string_view user, AssociationIndex association,
            const AssociationTree& tree) {
  const AccessList& users = reservation.users;
  const AccessList& accounts = reservation.accounts;
  const bool named = Names(users, user) || Names(users, tree.SurvivorOf(user));
  if (!users.names.empty() && named == users.excludes) return false;
  return accounts.names.empty() || NamesAccount(accounts, association, tree) != accounts.excludes;
}

ReservationUse ReservationUseOf(const Snapshot& snapshot, const Job& job,
                                AssociationIndex association) {
  if (job.reservation.empty() || snapshot.reservations().empty()) return ReservationUse::kNone;
  const Reservation* reservation = snapshot.FindReservation(job.reservation);
  if (reservation == nullptr) return ReservationUse::kMissing;
  return MayUse(*reservation, job.user, association, snapshot.tree()) ? ReservationUse::kAllowed
                                                                      : ReservationUse::kForbidden;
}

const Reservation* ReservationOf(const Snapshot& snapshot, const Job& job,
                                 AssociationIndex association) {
  return ReservationUseOf(snapshot, job, association) == ReservationUse::kAllowed
             ? snapshot.FindReservation(job.reservation)
             : nullptr;
}

}  // namespace priorityd::priority
