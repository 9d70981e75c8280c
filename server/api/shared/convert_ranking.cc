#include "server/api/shared/convert_ranking.h"

#include <vector>

#include "absl/strings/string_view.h"
#include "engine/explanation/reason_text.h"
#include "server/messages/convert_time.h"
#include "server/transport/viewer.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

// All factors except those of TRES.
void WriteFactors(const priority::PriorityFactors& factors, v1::PriorityFactors* proto) {
  proto->set_age(factors.age);
  proto->set_assoc(factors.assoc);
  proto->set_fair_share(factors.fair_share);
  proto->set_job_size(factors.job_size);
  proto->set_partition(factors.partition);
  proto->set_qos(factors.qos);
  proto->set_site(factors.site);
  proto->set_nice(factors.nice);
}

// Fills the common fields of ranked, ineligible and running rows.
class RowWriter {
 public:
  RowWriter(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
            v1::RankView view, const authorization::Visibility& sees)
      : snapshot_(snapshot), jobs_(jobs), full_(view == v1::RANK_VIEW_FULL), sees_(sees) {}

  bool ShowsShares(const priority::JobRow& row) const {
    return SeesShares(sees_, snapshot_, jobs_[row.job]);
  }

  template <typename Row>
  void Write(const priority::JobRow& row, Row* proto) const {
    const priority::Job& job = jobs_[row.job];
    proto->set_job_id(job.job_id.data(), job.job_id.size());
    if (row.partition >= 0) proto->set_partition(snapshot_.partitions()[row.partition].name);
    if (row.qos >= 0) proto->set_qos(snapshot_.qos()[row.qos].name);
    if (row.priority.has_value()) proto->set_priority(*row.priority);
    if (full_) WriteFull(job, row, proto);
  }

  uint32_t TierOf(const priority::JobRow& row) const {
    return full_ && row.partition >= 0 ? snapshot_.partitions()[row.partition].priority_tier : 0;
  }

 private:
  template <typename Row>
  void WriteFull(const priority::Job& job, const priority::JobRow& row, Row* proto) const {
    proto->set_user(job.user.data(), job.user.size());
    const absl::string_view account = row.association == priority::kNoAssociation
                                          ? job.account
                                          : snapshot_.tree().account(row.association);
    proto->set_account(account.data(), account.size());
    if (!ShowsShares(row)) return;
    if (row.factors != nullptr) {
      ToProto(snapshot_.policy(), *row.factors, proto->mutable_factors());
    }
    if (row.contributions != nullptr) {
      ToProto(snapshot_.policy(), *row.contributions, proto->mutable_contributions());
    }
  }

  const priority::Snapshot& snapshot_;
  const absl::Span<const priority::Job> jobs_;
  const bool full_;
  const authorization::Visibility& sees_;
};

// Start order accesses the jobs of the request at random. This prefetches the job of a later row,
// and the id of a nearer one, whose job is cached by then.
void PrefetchJobs(absl::Span<const priority::Job> jobs,
                  const std::vector<priority::RankedRow>& rows, size_t i) {
  constexpr size_t kFar = 16, kNear = 8;
  if (i + kFar >= rows.size()) return;
  __builtin_prefetch(&jobs[rows[i + kFar].job]);
  __builtin_prefetch(jobs[rows[i + kNear].job].job_id.data());
}

}  // namespace

void ToProto(const priority::Snapshot& snapshot, v1::Snapshot* proto) {
  proto->set_cluster(snapshot.cluster().name);
  proto->set_generation(snapshot.generation());
  ToProto(snapshot.computed_at(), proto->mutable_computed_at());
  proto->set_policy_version(snapshot.policy_version());
}

void ToProto(const priority::Policy& policy, const priority::PriorityFactors& factors,
             v1::PriorityFactors* proto) {
  WriteFactors(factors, proto);
  auto weight = policy.weight_tres.begin();
  for (size_t i = 0; i < factors.tres.size() && weight != policy.weight_tres.end(); ++i, ++weight) {
    (*proto->mutable_tres())[weight->first] = factors.tres[i];
  }
}

void ToProto(absl::Span<const std::string> tres, const priority::PriorityFactors& factors,
             v1::PriorityFactors* proto) {
  WriteFactors(factors, proto);
  for (size_t i = 0; i < factors.tres.size() && i < tres.size(); ++i) {
    (*proto->mutable_tres())[tres[i]] = factors.tres[i];
  }
}

void ToProto(const priority::Snapshot& snapshot, absl::Span<const priority::Job> jobs,
             const priority::Ranking& ranking, v1::RankView view,
             const authorization::Visibility& sees, v1::RankJobsResponse* response) {
  const RowWriter writer(snapshot, jobs, view, sees);
  response->mutable_ranked()->Reserve(static_cast<int>(ranking.ranked.size()));
  for (size_t i = 0; i < ranking.ranked.size(); ++i) {
    const priority::RankedRow& row = ranking.ranked[i];
    PrefetchJobs(jobs, ranking.ranked, i);
    v1::RankedJob* proto = response->add_ranked();
    writer.Write(row, proto);
    proto->set_priority_tier(writer.TierOf(row));
    proto->set_rank(row.rank);
    proto->set_best_of_job(row.best_of_job);
  }
  response->mutable_ineligible()->Reserve(static_cast<int>(ranking.ineligible.size()));
  for (const priority::IneligibleRow& row : ranking.ineligible) {
    v1::IneligibleJob* proto = response->add_ineligible();
    writer.Write(row, proto);
    const absl::string_view reason = priority::ReasonName(snapshot.limits(), row.why);
    proto->set_reason(reason.data(), reason.size());
    if (!writer.ShowsShares(row)) continue;
    proto->set_message(explanation::ReasonText(snapshot, jobs[row.job], row, row.why));
  }
  for (const priority::JobRow& row : ranking.running) writer.Write(row, response->add_running());
  response->set_ranked_total(static_cast<uint32_t>(ranking.ranked_total));
  response->set_ineligible_total(static_cast<uint32_t>(ranking.ineligible_total));
  ToProto(snapshot, response->mutable_snapshot());
}

}  // namespace priorityd::rpc
