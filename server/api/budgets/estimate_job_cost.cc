#include "server/api/budgets/estimate_job_cost.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/errors/error_details.h"
#include "engine/explanation/reason_text.h"
#include "engine/grants/price_book.h"
#include "engine/priority/limits/reason.h"
#include "engine/priority/site/grant_standing.h"
#include "engine/priority/site/tres_sum.h"
#include "server/api/budgets/convert_budget.h"
#include "server/api/shared/convert_job.h"
#include "server/api/shared/convert_ranking.h"
#include "server/budgets/job_cost.h"
#include "server/budgets/running_money.h"
#include "server/configuration/find_cluster.h"
#include "server/grants/stored_prices.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

absl::Status UnknownJob(const std::string& job_id) {
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat("job_id: got ", job_id, ", want one of the jobs")),
      "UNKNOWN_JOB");
}

// Texts point into the packed jobs of the state.
std::optional<priority::Job> FindTracked(const queue::QueueState& state, absl::string_view job_id) {
  for (const auto& chunk : state.chunks()) {
    const std::vector<absl::string_view>& ids = chunk->table().job_id;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == job_id) return chunk->job(i).job;
    }
  }
  return std::nullopt;
}

absl::StatusOr<priority::Job> PickInline(absl::Span<const priority::Job> jobs,
                                         const std::string& job_id) {
  if (job_id.empty() && jobs.size() == 1) return jobs.front();
  for (const priority::Job& job : jobs) {
    if (job.job_id == absl::string_view(job_id.data(), job_id.size())) return job;
  }
  return UnknownJob(job_id.empty() ? "none" : job_id);
}

// The reason with what the job has; empty where the reason says all.
std::string DetailOf(const priority::Snapshot& snapshot, const priority::Job& job,
                     priority::Reason why) {
  const bool is_of_names =
      why == priority::Reason::kInvalidAccount || why == priority::Reason::kInvalidPartition;
  if (is_of_names) return explanation::ReasonText(snapshot, job, {}, {why, {}});
  return std::string(job.violation);
}

// Whether a grant of money of the cluster itself counts usage of the association.
bool IsCharged(const priority::AssociationTree& tree, const priority::GrantStanding& grant,
               priority::AssociationIndex i) {
  if (!grant.domain.empty() || !priority::IsPrice(grant.tres)) return false;
  for (; i != priority::kNoAssociation; i = tree.parent()[i]) {
    if (absl::c_linear_search(grant.accounts, tree.account(i))) return true;
  }
  return false;
}

// The price books of the grants of money that count usage of the association.
absl::StatusOr<grants::PriceBooks> BooksOf(const priority::Snapshot& snapshot,
                                           priority::AssociationIndex i,
                                           storage::Database& database) {
  std::set<std::string> wanted;
  for (const priority::GrantStanding& grant : snapshot.grants()) {
    if (IsCharged(snapshot.tree(), grant, i)) wanted.insert(grant.tres);
  }
  if (wanted.empty()) return grants::PriceBooks();
  auto books =
      database.Read([&](storage::Transaction& transaction) -> absl::StatusOr<grants::PriceBooks> {
        const auto found = configuration::FindCluster(transaction, snapshot.cluster().name);
        if (!found.ok()) return found.status();
        return grants::ReadPriceBooks(transaction, found->id);
      });
  if (books.ok()) {
    std::erase_if(*books, [&](const auto& book) { return !wanted.contains(book.first); });
  }
  return books;
}

void AddPrices(const priority::Snapshot& snapshot, const priority::Job& job,
               const budgets::JobCost& cost, absl::Time start, grants::PriceBooks* books,
               v1::JobCost* proto) {
  const absl::Duration time =
      cost.time_limit == absl::InfiniteDuration() ? absl::Hours(1) : cost.time_limit;
  for (auto& [tres, book] : *books) {
    const grants::Amount amount =
        budgets::CostOf(snapshot, job, cost.partition, cost.qos, start, time, &book);
    v1::JobPrice* const price = proto->add_prices();
    price->set_tres(tres);
    price->set_currency(book.currency());
    price->set_tres_seconds((amount * cost.tasks).ToDecimal());
    const double money = (amount * cost.tasks).seconds() / 3600;
    proto->add_sentences(absl::StrCat(
        "It costs ", money < 1 ? absl::StrFormat("%.6g", money) : absl::StrFormat("%.2f", money),
        " ", book.currency(), " by ", tres,
        cost.time_limit == absl::InfiniteDuration() ? " for each hour" : "", ", if it starts at ",
        absl::FormatTime(absl::RFC3339_sec, start, snapshot.policy().time_zone), "."));
  }
}

absl::Status Estimate(const Caller& caller, const priority::Snapshot& snapshot, priority::Job job,
                      const budgets::RunningUsage& running, storage::Database& database,
                      v1::EstimateJobCostResponse* response) {
  const bool with_shares = SeesShares(caller.sees(), snapshot, job);
  const bool runs = job.state != priority::JobState::kPending && job.start_time.has_value();
  const absl::Time start = runs ? *job.start_time : snapshot.computed_at();
  // A running job costs as much as if it waited.
  job.state = priority::JobState::kPending;
  priority::Reason why = priority::Reason::kNone;
  const auto costs = budgets::CostsOf(snapshot, job, running, &why);
  if (costs.empty()) {
    const std::string detail = DetailOf(snapshot, job, why);
    return errors::WithReason(absl::FailedPreconditionError(
                                  absl::StrCat("job ", job.job_id, ": ", priority::ReasonName(why),
                                               detail.empty() ? "" : ": ", detail)),
                              "INVALID_JOB");
  }
  auto books =
      with_shares ? BooksOf(snapshot, costs.front().association, database) : grants::PriceBooks();
  if (!books.ok()) return books.status();
  for (const budgets::JobCost& cost : costs) {
    v1::JobCost* const proto = response->add_costs();
    ToProto(snapshot, job, cost, with_shares, proto);
    AddPrices(snapshot, job, cost, start, &*books, proto);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status EstimateJobCost(const Caller& caller, const queue::QueueState& state,
                             const budgets::RunningUsage& running, storage::Database& database,
                             const v1::EstimateJobCostRequest& request,
                             v1::EstimateJobCostResponse* response) {
  const priority::Snapshot& snapshot = state.snapshot();
  ToProto(snapshot, response->mutable_snapshot());
  if (request.has_tracked()) {
    const auto job = FindTracked(state, {request.job_id().data(), request.job_id().size()});
    if (!job.has_value() || !SeesJob(caller.sees(), snapshot, *job)) {
      return UnknownJob(request.job_id());
    }
    return Estimate(caller, snapshot, *job, running, database, response);
  }
  const InlineQueue queue(request.jobs().jobs());
  absl::Status may = CheckInlineJobs(caller, snapshot, queue.jobs());
  if (!may.ok()) return may;
  const auto job = PickInline(queue.jobs(), request.job_id());
  if (!job.ok()) return job.status();
  return Estimate(caller, snapshot, *job, running, database, response);
}

}  // namespace priorityd::rpc
