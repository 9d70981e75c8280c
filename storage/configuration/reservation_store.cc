#include "storage/configuration/reservation_store.h"

#include "storage/configuration/cluster_rows.h"
#include "storage/database/column_table.h"

namespace priorityd::storage {
namespace {

using ReservationTable = ColumnTable<Reservation>;
using ReservationRows = ClusterRows<Reservation, ReservationColumns>;

constexpr char kCountJobsOfReservations[] =
    "SELECT count(*) FROM priorityd.job WHERE cluster_id = $1 AND ended_as = '' "
    "AND reservation = ANY ($2::text[])";
constexpr char kNodesInUse[] =
    "SELECT node_list FROM priorityd.job WHERE cluster_id = $1 AND ended_as = '' "
    "AND state <> 'PENDING' AND node_list <> '' AND (time_limit_us IS NULL OR start_time IS NULL "
    "OR start_time + time_limit_us * interval '1 microsecond' > $2)";

const ReservationRows& StoredReservations() {
  static const auto* const rows = new ReservationRows("reservation");
  return *rows;
}

}  // namespace

const ColumnTable<Reservation>& ReservationColumns() {
  using C = ReservationTable;
  using R = Reservation;
  static const auto* const columns =
      new C("reservation", {},
            {C::ReadOnly<&R::id>("id"), C::ReadOnly<&R::cluster_id>("cluster_id"),
             C::Value<&R::name>("name"), C::Value<&R::start_time>("start_time"),
             C::Value<&R::end_time>("end_time"), C::Value<&R::nodes>("nodes"),
             C::Value<&R::partition>("partition"), C::Value<&R::users>("users"),
             C::Value<&R::users_excluded>("users_excluded"), C::Value<&R::accounts>("accounts"),
             C::Value<&R::accounts_excluded>("accounts_excluded"), C::Value<&R::flags>("flags"),
             C::ReadOnly<&R::deleted_at>("deleted_at")});
  return *columns;
}

absl::StatusOr<std::vector<Reservation>> ReservationStore::List(int32_t cluster_id,
                                                                Edition edition) {
  return StoredReservations().List(transaction_, cluster_id, edition);
}

absl::StatusOr<int64_t> ReservationStore::Insert(const Reservation& reservation) {
  return StoredReservations().Insert(transaction_, reservation);
}

absl::Status ReservationStore::Update(const Reservation& reservation) {
  return StoredReservations().Update(transaction_, reservation);
}

absl::Status ReservationStore::Delete(int32_t cluster_id, int64_t id, absl::Time at) {
  return StoredReservations().Delete(transaction_, cluster_id, id, at);
}

absl::StatusOr<int64_t> ReservationStore::CountJobs(int32_t cluster_id,
                                                    const std::vector<std::string>& names) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountJobsOfReservations, {cluster_id, names});
}

absl::StatusOr<std::vector<std::string>> ReservationStore::NodesInUse(int32_t cluster_id,
                                                                      absl::Time time) {
  return transaction_.Query(OnlyColumn<std::string>, kNodesInUse, {cluster_id, time});
}

}  // namespace priorityd::storage
