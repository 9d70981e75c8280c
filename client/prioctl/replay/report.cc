#include "client/prioctl/replay/report.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::replay {
namespace {

// Of the picture's curves.
constexpr int kParts = 240;
// Between samples of fairness: an hour, more where there would be too many.
constexpr int kMostSamples = 5000;

absl::Duration StepOf(const laboratory::Period& period) {
  return std::max(absl::Hours(1), (period.end - period.begin) / kMostSamples);
}

Column Measured(const laboratory::Site& site, const History& history,
                const laboratory::Schedule& schedule, const Report& report, bool forecasts) {
  Column column = {.measures = laboratory::Measure(site, history.jobs, schedule, report.period),
                   .fairness = laboratory::FairnessOf(site, history.jobs, schedule, report.period,
                                                      report.half_life, StepOf(report.period)),
                   .load = laboratory::LoadOf(history.jobs, schedule, report.period, kParts)};
  if (forecasts) {
    column.forecasts = ForecastsOf(history.jobs, schedule, report.period, report.cpus);
  }
  return column;
}

absl::string_view BackfillName(plan::Backfill backfill) {
  switch (backfill) {
    case plan::Backfill::kNone:
      return "no backfill";
    case plan::Backfill::kEasy:
      return "EASY backfill";
    case plan::Backfill::kConservative:
      return "conservative backfill";
  }
  return "";
}

}  // namespace

std::string AboutPolicy(const laboratory::PlayOptions& options) {
  const priority::Policy& policy = options.policy;
  std::string about = "priority/basic";
  if (policy.priority_type == priority::PriorityType::kMultifactor) {
    about =
        absl::StrCat("priority/multifactor, ", priority::FairShareAlgorithmName(policy.algorithm),
                     ", half-life ", slurm::FormatTimeString(policy.half_life));
    const std::pair<const char*, uint32_t> weights[] = {{"Age", policy.weight_age},
                                                        {"Assoc", policy.weight_assoc},
                                                        {"FairShare", policy.weight_fair_share},
                                                        {"JobSize", policy.weight_job_size},
                                                        {"Partition", policy.weight_partition},
                                                        {"QOS", policy.weight_qos}};
    for (const auto& [name, weight] : weights) {
      if (weight > 0) absl::StrAppend(&about, ", ", name, " ", weight);
    }
    if (!policy.weight_tres.empty()) absl::StrAppend(&about, ", TRES ", policy.weight_tres_text);
  }
  return absl::StrCat(about, "; ", BackfillName(options.plan.backfill));
}

Report MakeReport(const laboratory::Site& site, const History& history,
                  const std::vector<Trial>& trials, const ReportOptions& options,
                  laboratory::Played* first_played,
                  absl::FunctionRef<void(int64_t started, int64_t all)> progress) {
  Report report{.history = history.name,
                .jobs = static_cast<int64_t>(history.jobs.size()),
                .nodes = site.cluster.nodes,
                .cpus = site.cluster.cpus,
                .period = laboratory::PeriodOf(history.jobs, options.from),
                .half_life = trials.front().options.policy.half_life,
                .has_waits = history.has_waits,
                .load_factor = options.load_factor,
                .left_out = history.left_out};
  const laboratory::Schedule recorded = laboratory::Recorded(history.jobs);
  const bool stands = options.load_factor == 1;
  if (stands) {
    report.columns.push_back(Measured(site, history, recorded, report, options.forecasts));
    report.columns.back().name = "recorded";
  }
  const int64_t all = report.jobs * static_cast<int64_t>(trials.size());
  laboratory::Schedule without;  // That of the trial before.
  int64_t before = 0;            // The jobs of the plays that have ended.
  for (const Trial& trial : trials) {
    laboratory::Played played =
        laboratory::Play(site, history.jobs, trial.options,
                         [&](int64_t started) { progress(before + started, all); });
    before += report.jobs;
    progress(before, all);
    Column column = Measured(site, history, played.schedule, report, options.forecasts);
    column.name = trial.name;
    column.about = AboutPolicy(trial.options);
    if (stands) {
      column.from_recorded =
          laboratory::Compare(history.jobs, played.schedule, recorded, report.period);
    }
    column.backfilled = played.backfilled;
    column.never_started = played.never_started;
    if (!trial.options.grants.empty()) {
      column.grants = laboratory::FiguresOf(site, history.jobs, trial.options.grants, played,
                                            without, report.period);
    }
    without = played.schedule;
    column.rankings = played.rankings;
    column.plans = played.plans;
    column.recalculations = played.recalculations;
    report.columns.push_back(std::move(column));
    if (first_played != nullptr && &trial == &trials.front()) *first_played = std::move(played);
  }
  return report;
}

}  // namespace priorityd::replay
