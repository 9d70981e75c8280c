#include "storage/database/clock.h"

namespace priorityd::storage {
namespace {

constexpr char kRead[] = "SELECT clock_timestamp()";

absl::Time DecodeTime(RowReader& row) {
  absl::Time time;
  row.Read(&time);
  return time;
}

}  // namespace

absl::StatusOr<absl::Time> ReadClock(Transaction& transaction) {
  return transaction.QueryOne(DecodeTime, kRead);
}

}  // namespace priorityd::storage
