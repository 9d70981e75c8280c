#include "engine/priority/ranking/scoring.h"

#include <algorithm>

#include "engine/priority/jobs/job_demand.h"

namespace priorityd::priority {
namespace {

static_assert(static_cast<size_t>(Term::kQos) == static_cast<size_t>(ReducedFactor::kQos) &&
              static_cast<size_t>(Term::kSite) + 1 == kReducedFactors);

// The columns and small tables from which a sum is computed.
class RowSum {
 public:
  RowSum(const JobTable& table, const FactorScale& scale, absl::Time as_of,
         absl::Span<const uint8_t> flags)
      : table_(table),
        scale_(scale),
        qos_(table.FactorQos()),
        flags_(flags),
        penalties_(scale.snapshot().penalties()),
        as_of_us_(absl::ToUnixMicros(as_of)),
        as_of_(static_cast<double>(as_of_us_)),
        weight_age_(scale.policy().weight_age) {}

  double AgeFactor(size_t row) const { return scale_.AgeFactor(as_of_ - table_.accrue_us[row]); }

  // In the order of SumOf, for a row without a penalty.
  double operator()(size_t row, double age_factor) const {
    return Contribution(weight_age_, age_factor) + table_.assoc[row] + table_.fair_share[row] +
           table_.job_size[row] + scale_.PartitionContribution(table_.partition[row]) +
           scale_.QosContribution(qos_[row]) + table_.tres[row] + table_.site[row] -
           table_.nice[row];
  }

  // Null = none that lowers its priority.
  const Penalty* PenaltyOf(size_t row) const {
    if (!penalties_.lower()) return nullptr;
    const Penalty* penalty = penalties_.Of(table_.association[table_.job[row]]);
    return penalty == nullptr || !penalty->lowers() ? nullptr : penalty;
  }

  // The sum and its highest value.
  double Lowered(const Penalty& penalty, size_t row, double age_factor) const {
    const RowTerms terms = TermsAt(row, age_factor, &penalty);
    double sum = 0;
    for (size_t i = 0; i <= static_cast<size_t>(Term::kNice); ++i) sum += terms[i];
    return sum;
  }

  uint32_t Computed(size_t row, double age_factor) const {
    const Penalty* penalty = PenaltyOf(row);
    if (penalty == nullptr) return PriorityOf((*this)(row, age_factor));
    return PriorityOf(std::min(Lowered(*penalty, row, age_factor), penalty->band));
  }

  bool Accrues(size_t row) const {
    if (scale_.policy().accrue_always) return true;
    return (flags_[row] & JobTable::kNoAccrual) == 0 && table_.BegunAt(row, as_of_us_);
  }

  RowTerms Terms(size_t row) const {
    const double age = Accrues(row) ? AgeFactor(row) : 0;
    const Penalty* penalty = PenaltyOf(row);
    RowTerms terms = TermsAt(row, age, penalty);
    if (penalty == nullptr) return terms;
    const double sum = Lowered(*penalty, row, age);
    terms[static_cast<size_t>(Term::kBand)] = std::min(0.0, penalty->band - sum);
    return terms;
  }

  // The priority of a row with a bit of kAdjusted.
  uint32_t Adjusted(size_t row) const { return At(row, Accrues(row) ? AgeFactor(row) : 0); }

  // The priority of a row with a different age. Every step is monotonic, also with rounding: a
  // larger age factor never gives a lower priority.
  uint32_t At(size_t row, double age_factor) const {
    const uint8_t flags = flags_[row];
    if (flags & JobTable::kHeld) return 0;
    if (flags & JobTable::kAdminPriority) return table_.admin_priority[row];
    const uint32_t computed = Computed(row, age_factor);
    if (!(flags & JobTable::kPreviousPriority)) return computed;
    return std::max(computed, table_.previous_priority[row]);
  }

 private:
  // All but the last three terms.
  RowTerms TermsAt(size_t row, double age_factor, const Penalty* penalty) const {
    RowTerms terms = {Contribution(weight_age_, age_factor),
                      table_.assoc[row],
                      table_.fair_share[row],
                      table_.job_size[row],
                      scale_.PartitionContribution(table_.partition[row]),
                      scale_.QosContribution(qos_[row]),
                      table_.tres[row],
                      table_.site[row],
                      0.0 - table_.nice[row]};
    if (penalty == nullptr) return terms;
    for (size_t i = 0; i < kReducedFactors; ++i) terms[i] = penalty->parts[i].Of(terms[i]);
    return terms;
  }

  const JobTable& table_;
  const FactorScale& scale_;
  absl::Span<const int32_t> qos_;  // The QOS whose factor counts.
  absl::Span<const uint8_t> flags_;
  const Penalties& penalties_;
  int64_t as_of_us_;
  double as_of_;
  double weight_age_;
};

// The factors that do not depend on the time, except TRES.
void FillStandingFactors(const JobTable& table, const FactorScale& scale, const Job& job,
                         size_t row, RowFactors& result) {
  const uint32_t index = table.job[row];
  const uint32_t first = table.first_row[index];
  const auto partitions =
      absl::MakeSpan(table.partition).subspan(first, table.first_row[index + 1] - first);
  PriorityFactors& factors = result.factors;
  factors.assoc = scale.AssocFactor(table.association[index]);
  factors.fair_share = scale.FairShareFactor(table.association[index]);
  factors.job_size = scale.SizeFactor(job, partitions);
  factors.partition = scale.PartitionFactor(table.partition[row]);
  factors.qos = scale.QosFactor(table.FactorQos()[row]);
  factors.site = table.site[row];
  factors.nice = table.nice[row];
  PriorityFactors& contributions = result.contributions;
  contributions.assoc = table.assoc[row];
  contributions.fair_share = table.fair_share[row];
  contributions.job_size = table.job_size[row];
  contributions.partition = scale.PartitionContribution(table.partition[row]);
  contributions.qos = scale.QosContribution(table.FactorQos()[row]);
  contributions.site = factors.site;
  contributions.nice = 0 - factors.nice;
}

void FillTresFactors(const FactorScale& scale, const Job& job, int partition, RowFactors& result) {
  JobBilling billing(scale.snapshot());
  const JobDefaults& defaults = scale.snapshot().job_defaults(partition);
  for (size_t i = 0; i < scale.tres_count(); ++i) {
    const double count = scale.tres_name(i) == "billing"
                             ? billing.Count(job, partition)
                             : TresCountOf(job, scale.tres_name(i), defaults);
    const double factor = scale.TresFactor(i, partition, count);
    result.factors.tres[i] = factor;
    result.contributions.tres[i] = Contribution(scale.tres_weight(i), factor);
  }
}

// The contributions that count under the penalty of the row.
void Lower(const Penalty& penalty, double tres_sum, PriorityFactors* contributions) {
  const auto lower = [&](ReducedFactor factor, double* points) {
    *points = penalty.Of(factor).Of(*points);
  };
  lower(ReducedFactor::kAge, &contributions->age);
  lower(ReducedFactor::kAssoc, &contributions->assoc);
  lower(ReducedFactor::kFairShare, &contributions->fair_share);
  lower(ReducedFactor::kJobSize, &contributions->job_size);
  lower(ReducedFactor::kPartition, &contributions->partition);
  lower(ReducedFactor::kQos, &contributions->qos);
  lower(ReducedFactor::kSite, &contributions->site);
  if (tres_sum <= 0) return;
  for (double& points : contributions->tres) points *= penalty.Of(ReducedFactor::kTres).part;
}

}  // namespace

void Score(const JobTable& table, const FactorScale& scale, absl::Time as_of,
           std::vector<uint32_t>& priorities, absl::Span<const uint8_t> flags) {
  priorities.resize(table.rows());
  ScoreRows(table, scale, as_of, 0, table.rows(), absl::MakeSpan(priorities), flags);
}

void ScoreRows(const JobTable& table, const FactorScale& scale, absl::Time as_of, size_t begin,
               size_t end, absl::Span<uint32_t> priorities, absl::Span<const uint8_t> flags) {
  if (scale.policy().priority_type == PriorityType::kBasic) {
    std::fill(priorities.begin() + begin, priorities.begin() + end, 0);
    return;
  }
  if (flags.empty()) flags = table.flags;
  const RowSum sum(table, scale, as_of, flags);
  uint8_t adjusted = JobTable::kAdjusted;
  if (table.latest_begin_us <= absl::ToUnixMicros(as_of)) adjusted &= ~JobTable::kBeginsLater;
  if (scale.snapshot().penalties().lower()) {
    for (size_t row = begin; row < end; ++row) priorities[row] = sum.Adjusted(row);
    return;
  }
  for (size_t row = begin; row < end; ++row) {
    priorities[row] =
        (flags[row] & adjusted) != 0 ? sum.Adjusted(row) : PriorityOf(sum(row, sum.AgeFactor(row)));
  }
}

uint32_t LargestPriority(const JobTable& table, const FactorScale& scale, size_t row,
                         double as_of_us) {
  if (scale.policy().priority_type == PriorityType::kBasic) return 0;
  const RowSum sum(table, scale, absl::UnixEpoch(), table.flags);
  return sum.At(row, scale.AgeFactor(as_of_us - table.accrue_us[row]));
}

RowFactors FactorsOf(const JobTable& table, const FactorScale& scale, const Job& job, size_t row,
                     absl::Time as_of) {
  RowFactors result;
  PriorityFactors& factors = result.factors;
  PriorityFactors& contributions = result.contributions;
  factors.tres.resize(scale.tres_count());
  contributions.tres.resize(scale.tres_count());
  if (table.flags[row] & JobTable::kAdminPriority) return result;
  const RowSum sum(table, scale, as_of, table.flags);
  factors.age = sum.Accrues(row) ? sum.AgeFactor(row) : 0;
  contributions.age = Contribution(scale.policy().weight_age, factors.age);
  FillStandingFactors(table, scale, job, row, result);
  FillTresFactors(scale, job, table.partition[row], result);
  const Penalty* penalty = sum.PenaltyOf(row);
  if (penalty != nullptr) Lower(*penalty, table.tres[row], &contributions);
  return result;
}

RowTerms TermsOf(const JobTable& table, const FactorScale& scale, absl::Time as_of, size_t row,
                 absl::Span<const uint8_t> flags) {
  if (flags.empty()) flags = table.flags;
  RowTerms terms{};
  if (flags[row] & JobTable::kAdminPriority) {
    terms[static_cast<size_t>(Term::kAdminPriority)] = table.admin_priority[row];
    return terms;
  }
  const RowSum sum(table, scale, as_of, flags);
  terms = sum.Terms(row);
  if (flags[row] & JobTable::kPreviousPriority) {
    const double computed = sum.Computed(row, sum.Accrues(row) ? sum.AgeFactor(row) : 0);
    terms[static_cast<size_t>(Term::kPreviousPriority)] =
        std::max(0.0, table.previous_priority[row] - computed);
  }
  return terms;
}

}  // namespace priorityd::priority
