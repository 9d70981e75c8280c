// A history under several policies, beside each other.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "client/prioctl/replay/forecast_jobs.h"
#include "client/prioctl/replay/history_file.h"
#include "engine/laboratory/fairness.h"
#include "engine/laboratory/grant_figures.h"
#include "engine/laboratory/history.h"
#include "engine/laboratory/load_curve.h"
#include "engine/laboratory/measures.h"
#include "engine/laboratory/simulation.h"

namespace priorityd::replay {

// A policy to be tried; one with grants follows the same policy without them.
struct Trial {
  std::string name;
  laboratory::PlayOptions options;
};

// The figures of one schedule.
struct Column {
  std::string name;   // `recorded`, or the policy's.
  std::string about;  // The policy in a few words; empty = recorded.
  laboratory::Measures measures;
  laboratory::Fairness fairness;
  laboratory::LoadCurve load;
  std::optional<Forecasts> forecasts;  // If asked for.
  // --- Of a play ---
  std::optional<laboratory::Difference> from_recorded;  // Unset where nothing was recorded.
  int64_t backfilled = 0;
  std::map<std::string, int64_t> never_started;
  std::vector<laboratory::GrantFigures> grants;  // Of a trial with grants.
  int64_t rankings = 0;
  int64_t plans = 0;
  int64_t recalculations = 0;
};

struct Report {
  std::string history;
  int64_t jobs = 0;  // Of the history, those that are not measured included.
  double nodes = 0;
  double cpus = 0;
  laboratory::Period period;
  absl::Duration half_life;  // Of usage, in the index of fairness.
  bool has_waits = true;     // Whether the history has submit times.
  double load_factor = 1;
  std::map<std::string, int64_t> left_out;
  std::vector<std::string> notes;
  std::vector<Column> columns;  // First what was recorded, if it stands for anything.
};

struct ReportOptions {
  absl::Time from = absl::InfinitePast();
  double load_factor = 1;  // Other than 1: the history was compressed.
  bool forecasts = false;  // Also of each column's forecasts; about 3 ms for each job.
};

// Plays the history once for each trial; `first_played`, if not null, gets the first one's.
// `progress` is called as jobs start, with the starts of all plays so far and the number of jobs of
// all plays; jobs that never start are counted when their play ends. REQUIRES: there is a trial.
Report MakeReport(const laboratory::Site& site, const History& history,
                  const std::vector<Trial>& trials, const ReportOptions& options,
                  laboratory::Played* first_played,
                  absl::FunctionRef<void(int64_t started, int64_t all)> progress);

// `priority/multifactor, fair_tree, half-life 7-00:00:00, FairShare 1000, Age 100; EASY`
std::string AboutPolicy(const laboratory::PlayOptions& options);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_REPORT_H_
