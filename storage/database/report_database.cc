#include "storage/database/report_database.h"

#include "absl/strings/str_cat.h"
#include "storage/database/connection_string.h"

namespace priorityd::storage {
namespace {

constexpr char kSystem[] = "SELECT system_identifier::text FROM pg_control_system()";
// The lag is NULL until a standby that started has replayed a transaction.
constexpr char kStandby[] =
    "SELECT pg_is_in_recovery(), (SELECT system_identifier::text FROM pg_control_system()), "
    "extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::double precision";

struct StandbyRow {
  bool in_recovery = false;
  std::string system;
  std::optional<double> lag_seconds;
};

StandbyRow DecodeStandby(RowReader& row) {
  StandbyRow standby;
  row.Read(&standby.in_recovery, &standby.system, &standby.lag_seconds);
  return standby;
}

std::unique_ptr<Database> StandbyOf(DatabaseOptions options) {
  if (options.url.empty()) return nullptr;
  options.url = StandbyConnectionString(options.url).value_or(options.url);
  return std::make_unique<Database>(std::move(options));
}

}  // namespace

ReportDatabase::ReportDatabase(Database* primary, ReportOptions options)
    : primary_(primary),
      most_lag_(options.most_lag),
      standby_(StandbyOf(std::move(options.standby))) {
  state_.failure = "it has not been reached yet";
}

bool ReportDatabase::IsFinal(const absl::Status& status) {
  const bool is_needed = !absl::IsCancelled(status) && !absl::IsDeadlineExceeded(status);
  return !is_needed || status.ok() || absl::IsInvalidArgument(status) ||
         absl::IsResourceExhausted(status);
}

absl::Status ReportDatabase::NeitherServes(const absl::Status& standby,
                                           const absl::Status& primary) {
  return absl::UnavailableError(absl::StrCat("reports: the standby does not serve (",
                                             standby.message(), "), nor does the primary (",
                                             primary.message(), ")"));
}

absl::StatusOr<std::string> ReportDatabase::ReadSystem(Database& database) {
  return database.Read([](Transaction& transaction) {
    return transaction.QueryOne(OnlyColumn<std::string>, kSystem);
  });
}

absl::Status ReportDatabase::Look() {
  if (standby_ == nullptr) return absl::OkStatus();
  // Without the primary the last one known counts.
  const auto system = ReadSystem(*primary_);
  if (system.ok()) {
    absl::MutexLock lock(&mutex_);
    system_ = *system;
  }
  absl::Status checked =
      standby_->Read([this](Transaction& transaction) { return Check(transaction); });
  if (!checked.ok()) {
    NoteFailure(checked);
    return checked;
  }
  absl::MutexLock lock(&mutex_);
  state_.serves = true;
  state_.failure.clear();
  return absl::OkStatus();
}

absl::Status ReportDatabase::Check(Transaction& transaction) {
  const auto row = transaction.QueryOne(DecodeStandby, kStandby);
  absl::MutexLock lock(&mutex_);
  state_.lag.reset();
  if (!row.ok()) return row.status();
  if (!system_.empty() && row->system != system_) {
    return absl::UnavailableError("it is a standby of another database");
  }
  if (!row->in_recovery) {
    return absl::UnavailableError("it was promoted, or is no standby");
  }
  if (!row->lag_seconds.has_value()) {
    return absl::UnavailableError("it has replayed no transaction since its start");
  }
  state_.lag = absl::Seconds(*row->lag_seconds);
  if (*state_.lag <= most_lag_) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("it is ", absl::FormatDuration(absl::Trunc(*state_.lag, absl::Milliseconds(1))),
                   " behind, want at most ", absl::FormatDuration(most_lag_)));
}

bool ReportDatabase::Serves(absl::Status* why) const {
  if (standby_ == nullptr) return false;
  absl::MutexLock lock(&mutex_);
  if (!state_.serves) *why = absl::UnavailableError(state_.failure);
  return state_.serves;
}

void ReportDatabase::NoteFailure(const absl::Status& why) {
  // What the standby lacks or could not finish says nothing about the next read.
  if (!absl::IsUnavailable(why)) return;
  absl::MutexLock lock(&mutex_);
  state_.serves = false;
  state_.failure = std::string(why.message());
}

StandbyState ReportDatabase::State() const {
  absl::MutexLock lock(&mutex_);
  return state_;
}

ReportReads ReportDatabase::Reads() const {
  absl::MutexLock lock(&mutex_);
  return reads_;
}

void ReportDatabase::Count(int64_t ReportReads::*reads) {
  absl::MutexLock lock(&mutex_);
  ++(reads_.*reads);
}

}  // namespace priorityd::storage
