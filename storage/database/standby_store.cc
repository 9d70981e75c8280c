#include "storage/database/standby_store.h"

namespace priorityd::storage {
namespace {

// replay_lag is NULL while a standby has replayed all.
constexpr char kList[] =
    "SELECT application_name, "
    "max(extract(epoch FROM coalesce(replay_lag, '0')))::double precision AS seconds, "
    "max(greatest(pg_current_wal_lsn() - replay_lsn, 0))::double precision "
    "FROM pg_stat_replication WHERE state = 'streaming' AND replay_lsn IS NOT NULL "
    "GROUP BY application_name ORDER BY seconds DESC, application_name LIMIT $1";

StandbyLag DecodeStandbyLag(RowReader& row) {
  StandbyLag lag;
  row.Read(&lag.name, &lag.seconds, &lag.bytes);
  return lag;
}

}  // namespace

absl::StatusOr<std::vector<StandbyLag>> StandbyStore::List() {
  return transaction_.Query(DecodeStandbyLag, kList, {kMost});
}

}  // namespace priorityd::storage
