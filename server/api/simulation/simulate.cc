#include "server/api/simulation/simulate.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/errors/error_details.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/scheduling/planned_queue.h"
#include "server/api/forecasts/place_forecasts.h"
#include "server/api/grants/convert_grant.h"
#include "server/api/shared/convert_change.h"
#include "server/api/shared/convert_job.h"
#include "server/api/shared/convert_ranking.h"
#include "server/api/simulation/granted_owners.h"
#include "server/api/simulation/parameter_changes.h"
#include "server/authorization/rights_table.h"
#include "server/messages/convert_time.h"
#include "server/queue/state/queue_ranking.h"
#include "server/queue/state/supposed_queue.h"
#include "server/simulation/ranking_change.h"
#include "server/simulation/supposition.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using simulation::Move;
using simulation::RankedQueue;
using simulation::RowChange;
using simulation::RowPlace;

template <typename Proto>
simulation::AssociationName NameOf(const Proto& proto) {
  return {proto.account(), proto.user(), proto.partition()};
}

std::string Format(absl::Time time) { return absl::FormatTime(time, absl::UTCTimeZone()); }

// The times of a simulation.
absl::Status SetTimes(const Present& present, const v1::SimulateRequest& request,
                      simulation::Supposition* supposition) {
  const absl::Time computed_at = present.snapshot->computed_at();
  supposition->now = present.real_now;
  supposition->present =
      request.has_as_of() ? ToTime(request.as_of()) : std::max(present.now, computed_at);
  supposition->time = request.has_later() ? ToTime(request.later()) : supposition->present;
  if (supposition->time < supposition->present) {
    return errors::BadRequestError(
        "INVALID_FIELD",
        {{"later", absl::StrCat("got ", Format(supposition->time), ", want ",
                                Format(supposition->present), " or later, the present")}});
  }
  if (supposition->time >= computed_at) return absl::OkStatus();
  return errors::WithReason(
      absl::FailedPreconditionError(
          absl::StrCat(request.has_later() ? "later" : "as_of", ": got ", Format(supposition->time),
                       ", want ", Format(computed_at), " or later, the last recalculation's")),
      "TIME_GOES_BACK");
}

// A read of the ledger reads it of all: only operators, and coordinators of the owner's accounts.
std::optional<authorization::AccountSet> ReadableAccounts(const Caller& caller,
                                                          const priority::Snapshot& snapshot) {
  if (caller.roles.HasAnyOf(authorization::kOperators)) return std::nullopt;
  return WithAllBelow(caller.coordinated, snapshot.tree());
}

absl::StatusOr<simulation::Supposition> ToSupposition(const Caller& caller, const Present& present,
                                                      const v1::SimulateRequest& request) {
  simulation::Supposition supposition;
  if (absl::Status s = SetTimes(present, request, &supposition); !s.ok()) return s;
  if (request.has_policy_text()) {
    const std::string& name = request.policy_file_name();
    supposition.policy = {name.empty() ? "slurm.conf" : name, request.policy_text()};
  }
  for (const v1::SupposedShares& shares : request.shares()) {
    supposition.shares.push_back({NameOf(shares), std::nullopt});
    if (!shares.parent_shares()) supposition.shares.back().raw_shares = shares.raw_shares();
  }
  for (const v1::SupposedUsage& usage : request.usage()) {
    supposition.usage.push_back({NameOf(usage), usage.usage()});
  }
  for (const v1::SupposedGrant& grant : request.grants()) {
    supposition.grants.push_back({grant.name(), ToSettings(grant.settings()), grant.revoked()});
  }
  for (const v1::SupposedTransfer& transfer : request.grant_transfers()) {
    supposition.transfers.push_back(
        {transfer.from(), transfer.to(),
         AmountOf(transfer.amount_minutes(), transfer.amount_tres_seconds())});
  }
  supposition.readable_accounts = ReadableAccounts(caller, *present.snapshot);
  return supposition;
}

// Checked before it is known whether the association exists.
template <typename Supposed>
absl::Status CheckSupposed(const Caller& caller, absl::string_view field,
                           const google::protobuf::RepeatedPtrField<Supposed>& supposed) {
  for (int i = 0; i < supposed.size(); ++i) {
    const authorization::Visibility& sees = caller.sees();
    // Also the account: whether it exists is hidden, that the user has no association there is not.
    if (sees.SeesShares(supposed[i].user(), supposed[i].account()) &&
        sees.SeesShares("", supposed[i].account())) {
      continue;
    }
    return authorization::SeeAllRequired(
        absl::StrCat(field, "[", i, "], of an association whose shares are private"), caller.roles,
        caller.ToString());
  }
  return absl::OkStatus();
}

// The usage of owners is in the answer, and counts of the jobs of all.
absl::Status CheckGrants(const Caller& caller, const v1::SimulateRequest& request) {
  const bool has_grants = !request.grants().empty() || !request.grant_transfers().empty();
  if (!has_grants || caller.sees().sees_all()) return absl::OkStatus();
  return authorization::SeeAllRequired("grants, while PrivateData hides rows", caller.roles,
                                       caller.ToString());
}

// Ranks the queue of a request by a given snapshot.
class Queue {
 public:
  // `present` must outlive this.
  Queue(const Present& present, const v1::SimulateRequest& request)
      : present_(present), inline_(request.jobs().jobs()) {
    options_.best_only = request.best_only();
    options_.with_factors = request.view() == v1::RANK_VIEW_FULL || present.book != nullptr;
  }

  absl::Span<const priority::Job> inline_jobs() const { return inline_.jobs(); }

  // A ranking with the objects to which it points.
  struct Ranked {
    std::shared_ptr<const priority::Snapshot> snapshot;
    queue::QueueRanking tracked;  // Without a queue, only its ranking is set.
    absl::Span<const priority::Job> jobs;

    RankedQueue view() const { return {*snapshot, jobs, tracked.ranking}; }
    scheduling::PlannedQueue planned(absl::Time now) const {
      return {*snapshot, jobs, tracked.ranking, now};
    }
  };

  // `since`: when the snapshot's configuration takes effect, if it is not the present one.
  void Rank(std::shared_ptr<const priority::Snapshot> snapshot, absl::Time since, absl::Time as_of,
            Ranked* ranked) const {
    priority::RankOptions options = options_;
    options.as_of = as_of;
    ranked->snapshot = std::move(snapshot);
    if (present_.queue == nullptr) {
      ranked->jobs = inline_.jobs();
      ranked->tracked.ranking = priorityd::priority::Rank(*ranked->snapshot, ranked->jobs, options);
      return;
    }
    const bool is_present = ranked->snapshot == present_.snapshot;
    ranked->tracked = queue::Rank(
        is_present ? present_.queue : queue::Suppose(*present_.queue, ranked->snapshot, since),
        options, present_.book == nullptr ? 0 : std::numeric_limits<size_t>::max());
    ranked->jobs = ranked->tracked.jobs;
  }

 private:
  const Present& present_;
  const InlineQueue inline_;
  priority::RankOptions options_;
};

// A ranking with what its places are worth.
struct Side {
  const RankedQueue& queue;
  const PlaceForecasts* forecasts;  // Null = none.
};

void SetPlace(const Side& side, const RowPlace& place, bool full, v1::SimulatedPlace* proto) {
  const priority::Snapshot& snapshot = side.queue.snapshot;
  proto->set_rank(place.rank);
  if (place.row->priority.has_value()) proto->set_priority(*place.row->priority);
  proto->set_ineligible_reason(std::string(place.reason));
  if (side.forecasts != nullptr) {
    auto interval = side.forecasts->Of(side.queue.jobs[place.row->job]);
    if (interval.has_value()) *proto->mutable_start_interval() = *std::move(interval);
  }
  if (!full || place.row->contributions == nullptr) return;
  ToProto(snapshot.policy(), *place.row->contributions, proto->mutable_contributions());
}

// The names of the row.
void SetNames(const RankedQueue& queue, const priority::JobRow& row, bool full,
              v1::SimulatedRow* proto) {
  const priority::Job& job = queue.jobs[row.job];
  const priority::Snapshot& snapshot = queue.snapshot;
  proto->set_job_id(std::string(job.job_id));
  if (row.partition >= 0) proto->set_partition(snapshot.partitions()[row.partition].name);
  if (row.qos >= 0) proto->set_qos(snapshot.qos()[row.qos].name);
  if (!full) return;
  proto->set_user(std::string(job.user));
  const absl::string_view account = row.association == priority::kNoAssociation
                                        ? job.account
                                        : snapshot.tree().account(row.association);
  proto->set_account(std::string(account));
}

void SetRow(const Side& before, const Side& after, const RowChange& change, bool full,
            v1::SimulatedRow* proto) {
  if (change.before.row != nullptr) SetPlace(before, change.before, full, proto->mutable_before());
  if (change.after.row == nullptr) return SetNames(before.queue, *change.before.row, full, proto);
  SetPlace(after, change.after, full, proto->mutable_after());
  SetNames(after.queue, *change.after.row, full, proto);
}

const priority::Job& JobOf(const RankedQueue& before, const RankedQueue& after,
                           const RowChange& change) {
  return change.after.row != nullptr ? after.jobs[change.after.row->job]
                                     : before.jobs[change.before.row->job];
}

// For a visible job whose association's shares are hidden.
void HideShares(v1::SimulatedRow* row) {
  if (row->has_before()) row->mutable_before()->clear_contributions();
  if (row->has_after()) row->mutable_after()->clear_contributions();
}

void SetRows(const Side& before, const Side& after, const v1::SimulateRequest& request,
             const authorization::Visibility& sees, v1::SimulateResponse* response) {
  const uint32_t limit = request.limit() > 0 ? request.limit() : UINT32_MAX;
  const bool full = request.view() == v1::RANK_VIEW_FULL;
  const priority::Snapshot& snapshot = before.queue.snapshot;
  const queue::JobFilter shown = request.has_tracked() ? ShownJobs(sees, snapshot) : nullptr;
  uint32_t up = 0, down = 0, unmoved = 0, total = 0, others = 0;
  for (const RowChange& change : CompareRankings(before.queue, after.queue, request.best_only())) {
    const Move move = change.move();
    ++(move == Move::kUp ? up : move == Move::kDown ? down : unmoved);
    if (request.moved_only() && move == Move::kNone && !change.reason_changed()) continue;
    const priority::Job& job = JobOf(before.queue, after.queue, change);
    if (shown != nullptr && !shown(job)) {
      ++others;
    } else if (total++ < limit) {
      SetRow(before, after, change, full, response->add_rows());
      if (!SeesShares(sees, snapshot, job)) HideShares(&(*response->mutable_rows()->rbegin()));
    }
  }
  response->set_rows_others(others);
  response->set_rows_total(total);
  response->set_moved_up(up);
  response->set_moved_down(down);
  response->set_unmoved(unmoved);
}

}  // namespace

absl::Status Simulate(storage::Database& database, const Caller& caller, const Present& present,
                      const v1::SimulateRequest& request, v1::SimulateResponse* response) {
  const Queue queue(present, request);
  absl::Status may = CheckInlineJobs(caller, *present.snapshot, queue.inline_jobs());
  if (may.ok()) may = CheckSupposed(caller, "shares", request.shares());
  if (may.ok()) may = CheckSupposed(caller, "usage", request.usage());
  if (may.ok()) may = CheckGrants(caller, request);
  if (!may.ok()) return may;
  const auto supposition = ToSupposition(caller, present, request);
  if (!supposition.ok()) return supposition.status();
  auto supposed = simulation::Suppose(database, present.snapshot->cluster().name, *supposition);
  if (!supposed.ok()) return supposed.status();
  Queue::Ranked before, after;
  queue.Rank(present.snapshot, supposition->present, supposition->present, &before);
  queue.Rank(supposed->snapshot, supposition->present, supposition->time, &after);
  const scheduling::PlannedQueue planned_before = before.planned(present.now);
  const scheduling::PlannedQueue planned_after = after.planned(present.now);
  std::optional<PlaceForecasts> of_before, of_after;
  if (present.book != nullptr) {
    of_before.emplace(present.book, planned_before, present.plans);
    of_after.emplace(present.book, planned_after, present.plans);
  }
  const auto side = [](const RankedQueue& queue, const std::optional<PlaceForecasts>& forecasts) {
    return Side{queue, forecasts.has_value() ? &*forecasts : nullptr};
  };
  const RankedQueue view_before = before.view(), view_after = after.view();
  SetRows(side(view_before, of_before), side(view_after, of_after), request, caller.sees(),
          response);
  if (request.has_policy_text()) {
    AddParameterChanges(*present.snapshot, *supposed->snapshot, response->mutable_policy_changes());
  }
  if (present.queue != nullptr) {
    AddGrantEffects(*present.queue, supposed->owners, response->mutable_grant_effects());
  }
  ToProto(*present.snapshot, response->mutable_snapshot());
  ToProto(supposition->present, response->mutable_as_of());
  ToProto(supposition->time, response->mutable_later());
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
