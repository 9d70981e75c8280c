#include "server/recalculation/recalculation_input.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/microseconds.h"
#include "server/administration/leases/lease_reading.h"
#include "server/grants/book_prices.h"
#include "server/grants/domain_grants.h"
#include "server/recalculation/limit_inputs.h"
#include "server/usage/decayed_row.h"
#include "server/usage/row_decay.h"
#include "storage/configuration/user_merge_store.h"
#include "storage/database/clock.h"
#include "storage/grants/domain_grant_store.h"
#include "storage/ledger/started_job_store.h"

namespace priorityd::recalculation {
namespace {

std::string Format(absl::Time time) { return absl::FormatTime(time, absl::UTCTimeZone()); }

absl::Status ClockError(const RecalculationTime& time) {
  return errors::WithReason(
      absl::UnavailableError(absl::StrCat("the database's clock: got ", Format(time.now), ", want ",
                                          Format(time.latest),
                                          " at most, by this host's clock and --max_clock_offset")),
      "CLOCK_OFF");
}

absl::StatusOr<absl::Time> TimeOf(priority::ClockMode clock, const RecalculationTime& time,
                                  const std::optional<storage::SnapshotRecord>& last) {
  if (clock == priority::ClockMode::kReal) {
    if (time.as_of.has_value()) {
      return errors::WithReason(
          absl::FailedPreconditionError(
              "as_of: got a time, want none (the cluster has no Clock=manual)"),
          "CLOCK_IS_REAL");
    }
    if (time.now > time.latest) return ClockError(time);
    return last.has_value() ? std::max(time.now, last->computed_at) : time.now;
  }
  if (!last.has_value() && !time.as_of.has_value()) {
    return errors::WithReason(
        absl::FailedPreconditionError("as_of: got none, want the time of the first recalculation "
                                      "(the cluster has Clock=manual)"),
        "AS_OF_NEEDED");
  }
  if (!time.as_of.has_value()) return last->computed_at;
  if (last.has_value() && *time.as_of < last->computed_at) {
    return errors::WithReason(
        absl::FailedPreconditionError(absl::StrCat("as_of: got ", Format(*time.as_of), ", want ",
                                                   Format(last->computed_at),
                                                   " or later, the last recalculation's")),
        "TIME_GOES_BACK");
  }
  return *time.as_of;
}

int64_t IdOf(storage::UsageOf of, const storage::UsageRecord& record) {
  return of == storage::UsageOf::kAssociation ? record.association_id : record.qos_id.value_or(0);
}

// Removes usage after input->time from the rows of associations or of QOS; `ahead`: receives those
// that it changes.
absl::Status Rewind(storage::Transaction& transaction, storage::UsageOf of,
                    absl::Span<const storage::UsageRecord> unrecorded,
                    const RecalculationInput& input, std::vector<storage::UsageRow>* of_all,
                    std::vector<storage::UsageRow>* ahead) {
  std::vector<storage::UsageRow*> rows;
  for (storage::UsageRow& row : *of_all) {
    if (row.as_of > input.time) rows.push_back(&row);
  }
  if (rows.empty()) return absl::OkStatus();
  const usage::DecayRules rules = usage::DecayRulesOf(input.state, input.configuration->policy);
  // Records that ended before this do not count at T.
  const absl::Time reset = priority::LastReset(rules.reset, input.time);
  const usage::RowDecay decay(rules);
  std::vector<int64_t> some, whole;
  for (const storage::UsageRow* row : rows) {
    const bool needs_whole = usage::NeedsWholeLedger(*row, input.time, decay.Of(of, row->id));
    (needs_whole ? whole : some).push_back(row->id);
  }
  storage::LedgerStore ledger(transaction);
  const int32_t cluster_id = input.state.cluster.id;
  auto later = ledger.ListEndingAfter(of, cluster_id, input.time, some);
  if (!later.ok()) return later.status();
  auto all = ledger.ListEndingAfter(of, cluster_id, reset, whole);
  if (!all.ok()) return all.status();
  usage::Records records = usage::PointersTo(*later);
  absl::c_copy(usage::PointersTo(*all), std::back_inserter(records));
  // Rows of other records contain it, since it ended by T.
  for (const storage::UsageRecord& record : unrecorded) {
    if (absl::c_linear_search(whole, IdOf(of, record))) records.push_back(&record);
  }
  usage::RowChanges changes = usage::ChangesOf(of, records);
  for (storage::UsageRow* row : rows) {
    ahead->push_back(*row);
    *row = usage::Rewind(*row, input.time, changes[row->id].added, decay.Of(of, row->id));
  }
  return absl::OkStatus();
}

absl::Status RewindUsage(storage::Transaction& transaction,
                         absl::Span<const storage::UsageRecord> unrecorded,
                         RecalculationInput* input) {
  storage::ClusterState& state = input->state;
  absl::Status status = Rewind(transaction, storage::UsageOf::kAssociation, unrecorded, *input,
                               &state.association_usage, &input->ahead);
  if (!status.ok()) return status;
  return Rewind(transaction, storage::UsageOf::kQos, unrecorded, *input, &state.qos_usage,
                &input->qos_ahead);
}

void PutBack(std::vector<storage::UsageRow>* ahead, std::vector<storage::UsageRow>* rows) {
  for (storage::UsageRow& row : *ahead) {
    const auto found =
        std::lower_bound(rows->begin(), rows->end(), row.id,
                         [](const storage::UsageRow& a, int64_t id) { return a.id < id; });
    *found = std::move(row);
  }
  ahead->clear();
}

// Updates what was read before; false if everything must be read.
absl::StatusOr<bool> UpdateState(storage::Transaction& transaction, RecalculationInput* input) {
  if (input->base == nullptr || input->incarnation != transaction.incarnation()) {
    return false;
  }
  PutBackAhead(input);
  std::optional<storage::ConfigurationChanges> changes;
  absl::Status status = storage::UpdateClusterState(transaction, &input->state, &changes);
  if (!status.ok()) return status;
  if (!changes.has_value()) return input->base->revision == input->state.revision;
  auto configured = configuration::Reconfigure(*input->base, input->state, *changes);
  if (!configured.ok()) return configured.status();
  input->base = *std::move(configured);
  input->limits_usage |= LimitsUsage(changes->associations, input->state.qos);
  return input->base != nullptr;
}

// Reads the present state.
absl::Status ReadState(storage::Transaction& transaction, const std::string& cluster,
                       RecalculationInput* input) {
  absl::StatusOr<bool> updated = UpdateState(transaction, input);
  if (!updated.ok() || *updated) return updated.status();
  *input = {.incarnation = transaction.incarnation()};
  auto state = storage::ReadClusterState(transaction, cluster);
  if (!state.ok()) return state.status();
  input->state = *std::move(state);
  input->limits_usage = LimitsUsage(input->state.associations, input->state.qos);
  return absl::OkStatus();
}

// Reads the running jobs of the queue; `ends`: of their records.
absl::Status ReadStarted(storage::Transaction& transaction, const JobEnds& ends,
                         RecalculationInput* input) {
  auto jobs = storage::StartedJobStore(transaction).List(input->state.cluster.id);
  if (!jobs.ok()) return jobs.status();
  for (storage::StartedJob& job : *jobs) {
    const auto end = ends.ends().find(job.job_id);
    // Earlier ends are not known, so that all before may be recorded.
    const absl::Time recorded = end == ends.ends().end() ? ends.since() : end->second;
    input->started.push_back(
        {.job = std::move(job), .recorded_until = std::min(recorded, input->time)});
  }
  return absl::OkStatus();
}

// Reads the grants if the configuration has changed.
absl::Status ReadGrants(storage::Transaction& transaction, RecalculationInput* input) {
  if (input->grants.revision != input->state.revision) {
    auto book = grants::ReadGrantBook(transaction, input->state.cluster.id);
    if (!book.ok()) return book.status();
    input->grants = {.revision = input->state.revision, .book = *std::move(book)};
    input->kept_standings = {};
  }
  input->limits_usage |= !input->grants.book.grants.empty();
  return absl::OkStatus();
}

// Reads what the newest snapshot of the cluster's usage domain has for it, without the shares.
absl::Status ReadDomain(storage::Transaction& transaction, RecalculationInput* input) {
  auto domain = storage::DomainStore(transaction).NewestFor(input->state.cluster.id);
  if (!domain.ok()) return domain.status();
  const int32_t id = domain->of.domain_id;
  input->domain_generation = domain->of;
  input->domain_grants.clear();
  if (!domain->has_grants) return absl::OkStatus();
  auto grants = storage::DomainGrantStore(transaction).ListUsedUp(id);
  if (!grants.ok() || grants->empty()) return grants.status();
  auto merges = storage::UserMergeStore(transaction).List(id, storage::Edition::kPublished);
  if (!merges.ok()) return merges.status();
  grants::AddMergedUsers(*merges, &*grants);
  input->domain_grants = *std::move(grants);
  return absl::OkStatus();
}

// Reads the leases if the configuration has changed, and folds those of `time` over it.
absl::Status FoldLeases(storage::Transaction& transaction, absl::Time time,
                        RecalculationInput* input) {
  if (input->lease_book.revision != input->state.revision) {
    auto book = ReadLeaseBook(transaction, input->state.cluster.id, input->state.revision);
    if (!book.ok()) return book.status();
    input->lease_book = *std::move(book);
  }
  LeaseBook& book = input->lease_book;
  // Jobs change without a new revision.
  absl::Status jobs =
      administration::ReadLeasedJobs(transaction, input->state.cluster.id, book.open, &book.rows);
  if (!jobs.ok()) return jobs;
  input->orphans = OrphansAt(book, time);
  if (absl::Status s = input->leased.Update(book, input->base, time); !s.ok()) return s;
  input->configuration = input->leased.configuration();
  const configuration::Overlay& overlay = input->leased.overlay();
  input->limits_usage |= LimitsUsage(overlay.associations, overlay.qos);
  input->passages = administration::PassagesUpTo(time, book.open, book.rows);
  return absl::OkStatus();
}

absl::Status Fill(storage::Transaction& transaction, const std::string& cluster,
                  const RecalculationTime& time, RecalculationInput* input) {
  if (absl::Status s = ReadStored(transaction, cluster, input); !s.ok()) return s;
  if (input->base == nullptr) {
    auto configuration = configuration::Configure(input->state);
    if (!configuration.ok()) return configuration.status();
    input->base = *std::move(configuration);
  }
  RecalculationTime bounded = time;
  if (time.by_database) {
    auto clock = storage::ReadClock(transaction);
    if (!clock.ok()) return clock.status();
    bounded.now = std::min(time.now, *clock);
  }
  auto at = TimeOf(input->base->policy.clock, bounded, input->state.snapshot);
  if (!at.ok()) return at.status();
  if (absl::Status s = ReadGrants(transaction, input); !s.ok()) return s;
  if (absl::Status s = ReadDomain(transaction, input); !s.ok()) return s;
  const absl::Time cut = priority::CutToMicroseconds(*at);
  if (absl::Status s = FoldLeases(transaction, cut, input); !s.ok()) return s;
  return SetTime(transaction, *at, {}, input);
}

}  // namespace

// Undoes RewindUsage.
void PutBackAhead(RecalculationInput* input) {
  PutBack(&input->ahead, &input->state.association_usage);
  PutBack(&input->qos_ahead, &input->state.qos_usage);
}

absl::Status ReadStored(storage::Transaction& transaction, const std::string& cluster,
                        RecalculationInput* input) {
  const std::shared_ptr<const configuration::Configuration> before = input->base;
  if (absl::Status s = ReadState(transaction, cluster, input); !s.ok()) return s;
  if (before != nullptr && input->base == before) return absl::OkStatus();
  auto first = storage::PolicyStore(transaction).Find(input->state.cluster.id, 1);
  if (!first.ok()) return first.status();
  input->first_policy = *std::move(first);
  auto prices = grants::ReadJobPrices(transaction, input->state.cluster.id);
  if (!prices.ok()) return prices.status();
  input->prices = *std::move(prices);
  return absl::OkStatus();
}

absl::Status SetTime(storage::Transaction& transaction, absl::Time time,
                     absl::Span<const storage::UsageRecord> unrecorded, RecalculationInput* input) {
  input->time = priority::CutToMicroseconds(time);
  input->recorded_until.clear();
  input->started.clear();
  if (absl::Status s = RewindUsage(transaction, unrecorded, input); !s.ok()) return s;
  const bool charges_starts = input->configuration->policy.charge_at_start > 0;
  if (!input->limits_usage && !charges_starts) {
    input->job_ends = JobEnds();
    return absl::OkStatus();
  }
  auto recorded_until = ReadRecordedUntil(transaction, input->state, input->time, &input->job_ends);
  if (!recorded_until.ok()) return recorded_until.status();
  if (input->limits_usage) input->recorded_until = *std::move(recorded_until);
  return charges_starts ? ReadStarted(transaction, input->job_ends, input) : absl::OkStatus();
}

absl::Status BringUpToDate(storage::Database& database, const std::string& cluster,
                           const RecalculationTime& time, RecalculationInput* input) {
  return database.Read(
      [&](storage::Transaction& transaction) { return Fill(transaction, cluster, time, input); });
}

}  // namespace priorityd::recalculation
