#include "engine/priority/jobs/job_table.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "engine/priority/jobs/age_rule.h"
#include "engine/priority/jobs/eligibility.h"
#include "engine/priority/jobs/factors.h"
#include "engine/priority/jobs/job_resolution.h"
#include "engine/priority/jobs/reservation_access.h"
#include "engine/priority/jobs/tres_reader.h"

namespace priorityd::priority {

// Whether a pair can preempt if the job does not say so itself.
class PreemptRule {
 public:
  explicit PreemptRule(const Snapshot& snapshot) : snapshot_(snapshot) {
    if (!snapshot.policy().preempt_by_partition) return;
    for (const Partition& partition : snapshot.partitions()) {
      if (partition.preemptible) {
        lowest_tier_ = std::min<int64_t>(lowest_tier_, partition.priority_tier);
      }
    }
  }

  bool CanPreempt(const Job& job, int partition, int qos) const {
    if (job.preemptor.has_value()) return *job.preemptor;
    if (qos >= 0 && snapshot_.policy().preempt_by_qos && !snapshot_.qos()[qos].preempt.empty()) {
      return true;
    }
    return partition >= 0 && snapshot_.partitions()[partition].priority_tier > lowest_tier_;
  }

 private:
  const Snapshot& snapshot_;
  // The lowest tier of the preemptible partitions.
  int64_t lowest_tier_ = std::numeric_limits<int64_t>::max();
};

namespace {

constexpr absl::string_view kNode = "node";

std::vector<std::string> WithNode(absl::Span<const std::string> names) {
  std::vector<std::string> all(names.begin(), names.end());
  if (!absl::c_linear_search(names, kNode)) all.emplace_back(kNode);
  return all;
}

}  // namespace

class JobTableBuilder::Rows {
 public:
  Rows(const FactorScale& scale, absl::Time as_of)
      : scale_(scale),
        policy_(scale.policy()),
        as_of_(as_of),
        eligibility_(scale.snapshot()),
        age_rule_(scale.snapshot()),
        resolver_(scale.snapshot()),
        billing_(scale.snapshot()),
        tres_names_(WithNode(scale.tres_names())),
        node_(std::find(tres_names_.begin(), tres_names_.end(), kNode) - tres_names_.begin()),
        tres_(tres_names_),
        preempt_(scale.snapshot()) {}

  JobTable Build(absl::Span<const Job> jobs) {
    Reserve(jobs.size());
    for (const Job& job : jobs) AddJob(job);
    table_.first_row.push_back(table_.rows());
    job_ids_.clear();
    return std::exchange(table_, JobTable());
  }

  void Append(const Job& job, JobTable* table) {
    table_ = std::move(*table);
    if (!table_.first_row.empty()) table_.first_row.pop_back();
    AddJob(job);
    table_.first_row.push_back(table_.rows());
    job_ids_.clear();
    *table = std::exchange(table_, JobTable());
  }

 private:
  void Reserve(size_t jobs);
  void AddJob(const Job& job);
  void AddRows(const Job& job, const ResolvedJob& resolved, bool stands_still);
  // The reason that blocks all pairs of the job.
  Reason ReasonOfJob(const Job& job, AssociationIndex association);
  // Fills the columns that all rows of a job share, from row `first` on.
  void FillJobColumns(const Job& job, const ResolvedJob& resolved, bool stands_still, size_t first);
  void RaisePairs(const Job& job, size_t first);
  double AccrueTime(const Job& job, bool stands_still) const;
  uint8_t JobFlags(const Job& job) const;
  double TresContribution(const Job& job, int partition);

  const FactorScale& scale_;
  const Policy& policy_;
  absl::Time as_of_;
  Eligibility eligibility_;
  AgeRule age_rule_;
  JobResolver resolver_;
  JobBilling billing_;
  const std::vector<std::string> tres_names_;  // The TRES of the scale come first.
  const size_t node_;                          // The index of `node` in tres_names_.
  TresReader tres_;
  absl::Span<const double> counts_;  // TRES counts of the current job; see TresContribution.
  PreemptRule preempt_;
  absl::flat_hash_set<absl::string_view> job_ids_;
  JobTable table_;
};

void JobTableBuilder::Rows::Reserve(size_t jobs) {
  job_ids_.reserve(jobs);
  table_.job_id.reserve(jobs);
  table_.association.reserve(jobs);
  table_.unresolved.reserve(jobs);
  table_.first_row.reserve(jobs + 1);
  table_.job.reserve(jobs);
  table_.partition.reserve(jobs);
  table_.qos.reserve(jobs);
  if (scale_.snapshot().demotes()) table_.factor_qos.reserve(jobs);
  table_.reason.reserve(jobs);
  table_.flags.reserve(jobs);
  table_.accrue_us.reserve(jobs);
  table_.begin_us.reserve(jobs);
  table_.submit_us.reserve(jobs);
  table_.assoc.reserve(jobs);
  table_.fair_share.reserve(jobs);
  table_.job_size.reserve(jobs);
  table_.tres.reserve(jobs);
  table_.site.reserve(jobs);
  table_.nice.reserve(jobs);
  table_.admin_priority.reserve(jobs);
  table_.previous_priority.reserve(jobs);
}

void JobTableBuilder::Rows::AddJob(const Job& job) {
  table_.job_id.push_back(job.job_id);
  table_.first_row.push_back(table_.rows());
  const bool known = !job_ids_.insert(job.job_id).second;
  ResolvedJob resolved;
  if (known || !job.violation.empty()) {
    resolved.reason = Reason::kInvalidJob;
  } else {
    resolved = resolver_.Resolve(job);
  }
  table_.association.push_back(resolved.association);
  table_.unresolved.push_back(resolved.reason);
  if (scale_.snapshot().tree().SurvivorOf(job.user) != job.user) {
    table_.merged_users.push_back({static_cast<uint32_t>(table_.jobs() - 1), job.user});
  }
  const bool pending = job.state == JobState::kPending;
  counts_ = tres_.Read(job);
  const bool stands_still = pending && age_rule_.StandsStill(job, resolved, counts_[node_]);
  if (pending && stands_still != job.accrual_stopped.has_value()) {
    table_.accrual_moved.push_back(table_.jobs() - 1);
  }
  if (resolved.reason == Reason::kNone) AddRows(job, resolved, stands_still);
}

void JobTableBuilder::Rows::AddRows(const Job& job, const ResolvedJob& resolved,
                                    bool stands_still) {
  const size_t first = table_.rows();
  const Snapshot& snapshot = scale_.snapshot();
  const bool demotes = snapshot.demotes();
  const uint8_t flags = JobFlags(job);
  const Reason of_job = ReasonOfJob(job, resolved.association);
  for (const int partition : resolved.partitions) {
    const double tres = TresContribution(job, partition);
    for (const int qos : resolved.qos) {
      table_.job.push_back(table_.jobs() - 1);
      table_.partition.push_back(partition);
      table_.qos.push_back(qos);
      if (demotes) table_.factor_qos.push_back(snapshot.FactorQos(resolved.association, qos));
      table_.reason.push_back(
          std::min(of_job, eligibility_.OfPair(job, resolved.association, partition, qos)));
      const bool preempts = preempt_.CanPreempt(job, partition, qos);
      table_.flags.push_back(flags | (preempts ? JobTable::kPreemptor : 0));
      table_.tres.push_back(tres);
    }
  }
  table_.one_row_each = table_.one_row_each && table_.rows() - first == 1;
  FillJobColumns(job, resolved, stands_still, first);
  if ((flags & JobTable::kBeginsLater) != 0) {
    table_.latest_begin_us = std::max(table_.latest_begin_us, table_.begin_us[first]);
  }
}

Reason JobTableBuilder::Rows::ReasonOfJob(const Job& job, AssociationIndex association) {
  const Snapshot& snapshot = scale_.snapshot();
  const ReservationUse use = ReservationUseOf(snapshot, job, association);
  if (use == ReservationUse::kMissing || use == ReservationUse::kForbidden) {
    return std::min(Eligibility::OfJob(job), Reason::kReservation);
  }
  if (use == ReservationUse::kAllowed && job.state == JobState::kPending) {
    const Reservation& reservation = *snapshot.FindReservation(job.reservation);
    table_.open_times.push_back({static_cast<uint32_t>(table_.jobs() - 1),
                                 absl::ToUnixMicros(reservation.opens()),
                                 absl::ToUnixMicros(reservation.end)});
  }
  return Eligibility::OfJob(job);
}

void JobTableBuilder::Rows::FillJobColumns(const Job& job, const ResolvedJob& resolved,
                                           bool stands_still, size_t first) {
  const auto fill = [rows = table_.rows()](auto& column, auto value) {
    column.resize(rows, value);
  };
  const AssociationIndex association = resolved.association;
  fill(table_.accrue_us, AccrueTime(job, stands_still));
  fill(table_.begin_us, absl::ToUnixMicros(job.begin_time().value_or(as_of_)));
  fill(table_.submit_us, absl::ToUnixMicros(job.submit_time.value_or(as_of_)));
  fill(table_.assoc, Contribution(policy_.weight_assoc, scale_.AssocFactor(association)));
  fill(table_.fair_share,
       Contribution(policy_.weight_fair_share, scale_.FairShareFactor(association)));
  fill(table_.job_size,
       Contribution(policy_.weight_job_size, scale_.SizeFactor(job, resolved.partitions)));
  fill(table_.site, static_cast<double>(job.site_factor));
  fill(table_.nice, job.nice);
  fill(table_.admin_priority, job.admin_priority.value_or(0));
  fill(table_.previous_priority, job.previous_priority.value_or(0));
  if (!job.pair_priorities.empty()) RaisePairs(job, first);
}

void JobTableBuilder::Rows::RaisePairs(const Job& job, size_t first) {
  for (size_t row = first; row < table_.rows(); ++row) {
    const PairNames names = NamesOf(scale_.snapshot(), table_.partition[row], table_.qos[row]);
    for (const PairPriority& pair : job.pair_priorities) {
      if (pair.partition != names.partition || pair.qos != names.qos) continue;
      table_.previous_priority[row] = std::max(table_.previous_priority[row], pair.priority);
    }
  }
}

double JobTableBuilder::Rows::AccrueTime(const Job& job, bool stands_still) const {
  const absl::Time submitted = job.submit_time.value_or(as_of_);
  if (policy_.accrue_always) return absl::ToUnixMicros(submitted);
  absl::Time since = job.accrue_time.value_or(job.eligible_time.value_or(submitted));
  if (job.state != JobState::kPending) return absl::ToUnixMicros(since);
  if (stands_still) return JobTable::kNever;
  if (job.accrual_stopped.has_value()) {
    since += AccruesFrom(job, scale_.snapshot().computed_at()) - *job.accrual_stopped;
  }
  return absl::ToUnixMicros(since);
}

uint8_t JobTableBuilder::Rows::JobFlags(const Job& job) const {
  uint8_t flags = 0;
  if (!job.reservation.empty()) flags |= JobTable::kReservation;
  if (job.admin_priority.has_value()) flags |= JobTable::kAdminPriority;
  if (policy_.incr_only && (job.previous_priority.has_value() || !job.pair_priorities.empty())) {
    flags |= JobTable::kPreviousPriority;
  }
  if (job.state != JobState::kPending) return flags | JobTable::kRunning;
  if (job.begin_time() > as_of_) flags |= JobTable::kBeginsLater;
  if (job.hold != Hold::kNone) flags |= JobTable::kHeld;
  return flags;
}

double JobTableBuilder::Rows::TresContribution(const Job& job, int partition) {
  const Snapshot& snapshot = scale_.snapshot();
  if (snapshot.gives_defaults()) counts_ = tres_.Read(job, snapshot.job_defaults(partition));
  double sum = 0;
  for (size_t i = 0; i < scale_.tres_count(); ++i) {
    const bool billed = scale_.tres_name(i) == "billing";
    const double count = billed ? billing_.Count(job, partition) : counts_[i];
    sum += Contribution(scale_.tres_weight(i), scale_.TresFactor(i, partition, count));
  }
  return sum;
}

JobTableBuilder::JobTableBuilder(const FactorScale& scale, absl::Time as_of)
    : rows_(std::make_unique<Rows>(scale, as_of)) {}

JobTableBuilder::~JobTableBuilder() = default;

JobTable JobTableBuilder::Build(absl::Span<const Job> jobs) { return rows_->Build(jobs); }

void JobTableBuilder::Append(const Job& job, JobTable* table) { rows_->Append(job, table); }

bool JobTable::IsOpen(uint32_t number, int64_t as_of_us) const {
  const auto open = std::lower_bound(open_times.begin(), open_times.end(), number,
                                     [](const OpenTime& a, uint32_t than) { return a.job < than; });
  if (open == open_times.end() || open->job != number) return true;
  return open->from_us <= as_of_us && as_of_us < open->until_us;
}

absl::string_view JobTable::MergedUserOf(uint32_t number) const {
  const auto merged =
      std::lower_bound(merged_users.begin(), merged_users.end(), number,
                       [](const MergedUser& a, uint32_t than) { return a.job < than; });
  return merged != merged_users.end() && merged->job == number ? merged->user : "";
}

void UpdateFairShare(const FactorScale& scale, size_t first_row, JobTable* table) {
  const Snapshot& snapshot = scale.snapshot();
  for (size_t row = first_row; row < table->rows(); ++row) {
    const double factor = scale.FairShareFactor(table->association[table->job[row]]);
    table->fair_share[row] = Contribution(scale.policy().weight_fair_share, factor);
    Reason& reason = table->reason[row];
    if (reason != Reason::kNone && reason != Reason::kQosUsageThreshold) continue;
    const int qos = table->qos[row];
    const bool below = qos >= 0 && scale.policy().enforce.limits &&
                       BelowUsageThreshold(snapshot.qos()[qos], factor);
    reason = below ? Reason::kQosUsageThreshold : Reason::kNone;
  }
}

void UpdateDemotions(const Snapshot& snapshot, size_t first_row, JobTable* table) {
  for (size_t row = first_row; row < table->factor_qos.size(); ++row) {
    table->factor_qos[row] =
        snapshot.FactorQos(table->association[table->job[row]], table->qos[row]);
  }
}

JobTable BuildJobTable(const FactorScale& scale, absl::Span<const Job> jobs, absl::Time as_of) {
  return JobTableBuilder(scale, as_of).Build(jobs);
}

}  // namespace priorityd::priority
