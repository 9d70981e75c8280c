#include "client/slurm/priority_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "client/slurm/difference_reasons.h"

namespace priorityd::slurm_frontend {
namespace {

namespace v1 = ::priority::v1;

// sprio shows seven digits of a factor, and whole contributions.
constexpr double kShownFactor = 1e-6;
constexpr double kShownContribution = 0.5 + 1e-6;

struct OurRow {
  std::optional<int64_t> priority;
  const v1::PriorityFactors* factors = nullptr;
  const v1::PriorityFactors* contributions = nullptr;
  std::string reason;  // why it cannot start
};

// By job and partition.
using OurRows = std::map<std::pair<std::string, std::string>, OurRow>;

OurRows RowsOf(const v1::RankJobsResponse& response) {
  OurRows rows;
  for (const v1::RankedJob& row : response.ranked()) {
    rows[{row.job_id(), row.partition()}] = {row.priority(), &row.factors(), &row.contributions(),
                                             ""};
  }
  for (const v1::IneligibleJob& row : response.ineligible()) {
    OurRow ours{std::nullopt, &row.factors(), &row.contributions(), row.reason()};
    if (row.has_priority()) ours.priority = row.priority();
    rows[{row.job_id(), row.partition()}] = std::move(ours);
  }
  return rows;
}

std::map<std::string, double> ByName(const v1::PriorityFactors& factors) {
  return {{"age", factors.age()},
          {"assoc", factors.assoc()},
          {"fair_share", factors.fair_share()},
          {"job_size", factors.job_size()},
          {"partition", factors.partition()},
          {"qos", factors.qos()}};
}

double Sum(const std::map<std::string, double>& tres) {
  double sum = 0;
  for (const auto& [name, value] : tres) sum += value;
  return sum;
}

void CompareFactors(const ComparisonInput& input, const tables::SprioRow& theirs,
                    const OurRow& ours, JobDifference* difference) {
  const auto factors = ByName(*ours.factors);
  const auto contributions = ByName(*ours.contributions);
  for (const auto& [name, theirs_value] : theirs.factors) {
    const auto weight = input.rules.weights.find(name);
    if (weight == input.rules.weights.end() || weight->second == 0) continue;
    const double factor = factors.at(name);
    const double contribution = contributions.at(name);
    const double shown = theirs.contributions.at(name);
    if (input.rules.normalized && std::abs(factor - theirs_value) > kShownFactor) {
      difference->factors.push_back({name, factor, theirs_value});
    } else if (!input.rules.normalized && std::abs(contribution - shown) > kShownContribution) {
      difference->factors.push_back({name, contribution, shown});
    }
  }
}

void CompareRest(const tables::SprioRow& theirs, const OurRow& ours, JobDifference* difference) {
  const std::map<std::string, double> tres(ours.contributions->tres().begin(),
                                           ours.contributions->tres().end());
  bool same = true;
  for (const auto& [name, shown] : theirs.tres_contributions) {
    const auto found = tres.find(name);
    same &= std::abs((found == tres.end() ? 0 : found->second) - shown) <= kShownContribution;
  }
  if (!same) difference->factors.push_back({"tres", Sum(tres), Sum(theirs.tres_contributions)});
  const auto compare = [&](const char* name, double of_ours, int64_t of_theirs) {
    const auto value = static_cast<double>(of_theirs);
    if (of_ours != value) difference->factors.push_back({name, of_ours, value});
  };
  compare("site", ours.factors->site(), theirs.site);
  compare("nice", ours.factors->nice(), theirs.nice);
}

// The rows that only one of the two has.
void AddMissing(const ComparisonInput& input, const OurRows& ours, const SprioRows& rows,
                Comparison* comparison) {
  for (const v1::RankedJob& row : input.ours.ranked()) {
    const std::pair key(row.job_id(), row.partition());
    if (rows.count(key) != 0) continue;
    comparison->differences.push_back(
        {row.job_id(), row.partition(), ours.at(key).priority, std::nullopt, {}, {}});
  }
}

}  // namespace

int64_t Comparison::Unexplained() const {
  return std::count_if(differences.begin(), differences.end(),
                       [](const JobDifference& one) { return one.reasons.empty(); });
}

Comparison Compare(const ComparisonInput& input, const LookUpJobs& look_up) {
  Comparison comparison;
  comparison.pass = LastPass(input.theirs, input.rules, AccrueTimes(input.queue));
  const OurRows ours = RowsOf(input.ours);
  SprioRows rows;
  for (const tables::SprioRow& theirs : input.theirs) {
    rows[{theirs.job_id, theirs.partition}] = &theirs;
    const auto found = ours.find({theirs.job_id, theirs.partition});
    JobDifference difference{
        theirs.job_id, theirs.partition, std::nullopt, theirs.priority, {}, {}};
    if (found == ours.end() || !found->second.priority.has_value()) {
      if (found != ours.end()) difference.reasons.push_back(NoPriorityReason(found->second.reason));
      comparison.differences.push_back(std::move(difference));
      continue;
    }
    ++comparison.compared;
    difference.ours = found->second.priority;
    const int64_t apart = std::abs(*difference.ours - theirs.priority);
    comparison.largest = std::max(comparison.largest, apart);
    if (apart == 0) ++comparison.equal;
    if (!theirs.IsSetByHand()) {
      CompareFactors(input, theirs, found->second, &difference);
      CompareRest(theirs, found->second, &difference);
    }
    if (apart <= input.tolerance && difference.factors.empty()) {
      ++comparison.agree;
    } else {
      comparison.differences.push_back(std::move(difference));
    }
  }
  AddMissing(input, ours, rows, &comparison);
  AddReasons(input, look_up, rows, &comparison);
  return comparison;
}

}  // namespace priorityd::slurm_frontend
