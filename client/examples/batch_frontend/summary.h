// The results of a simulation: waits, usage against shares, fairness.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SUMMARY_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SUMMARY_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "client/examples/batch_frontend/job.h"
#include "client/examples/batch_frontend/player.h"
#include "client/examples/batch_frontend/share_sample.h"

namespace priorityd::batch_frontend {

// The usage and the due share of a sample's user with enough demand, as parts of the cluster's
// decayed usage. Users without it do not use their entitlements, which are due to these users, by
// their shares.
struct DemandingUser {
  double usage_share = 0;
  double due_share = 0;
};

// The users with enough demand at the sample's time: a pending job at every time in `window`.
std::map<std::string, DemandingUser> DemandingUsers(const ShareSample& sample,
                                                    absl::Duration window);

// The fairness of the cluster's shares to users with enough demand.
struct Fairness {
  absl::Time at;
  absl::Duration window;  // Of enough demand.
  std::map<std::string, DemandingUser> users;
  double largest_distance = 0;  // Of usage_share / due_share from 1.
  // Jain's index of usage_share / due_share: 1 = all alike, 1/n = one user has all.
  double jain_index = 1;
};

struct UserSummary {
  std::string user;
  int64_t jobs = 0;
  // From submission to start, over jobs that started.
  absl::Duration mean_wait;
  absl::Duration median_wait;
  absl::Duration p95_wait;
  double cpu_seconds = 0;  // Not decayed.
  double usage_share = 0;  // Decayed, at Fairness::at.
  double entitlement = 0;  // By shares.
};

struct Summary {
  int64_t jobs = 0;
  int64_t backfilled = 0;
  int64_t refused = 0;
  int64_t never_started = 0;  // Refused ones besides.
  // Of these, by Slurm's reason.
  std::map<std::string, int64_t> ineligible;
  absl::Time begin;        // First submission.
  absl::Time end;          // Last end.
  double utilization = 0;  // Of all CPUs, from the first submission to the last.
  uint64_t digest = 0;     // Of the event log.
  Fairness fairness;
  std::vector<UserSummary> users;  // By cpu_seconds, most first.
};

// `window`: the window of enough demand.
Summary Summarize(const std::vector<Job>& jobs, const Played& played, int64_t cpus,
                  absl::Duration window);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_SUMMARY_H_
