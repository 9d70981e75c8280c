// A small site to rank jobs on; each test changes what it is about.
#ifndef PRIORITYD_TESTS_ENGINE_PRIORITY_SMALL_SITE_H_
#define PRIORITYD_TESTS_ENGINE_PRIORITY_SMALL_SITE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/priority/jobs/job.h"
#include "engine/priority/ranking/ranking.h"
#include "engine/priority/snapshot/snapshot.h"

namespace priorityd::priority {

inline const absl::Time kNow = absl::FromUnixSeconds(1800000000);

// 8 nodes of 8 CPUs. Partition `main` (default) has all of them, `fast` four.
// QOS `normal` (priority 0) and `high` (100). Accounts physics (ann, bob; 60
// shares) and chemistry (cat; 40 shares) under root. No weights, no usage.
struct SmallSite {
  SmallSite();

  Partition& partition(absl::string_view name);
  Qos& qos(absl::string_view name);
  // Of an account, or of a user in it.
  Association& association(absl::string_view account, absl::string_view user = "");

  std::unique_ptr<const Snapshot> Build() const;

  SnapshotSource source;  // Its tree and own_usage are made by Build.
  std::vector<Association> associations;
  std::map<std::string, double> usage;  // By `account/user`, or `account`.
  UserMerges merges;
};

// A job of ann in physics, submitted an hour ago, everything else by default.
Job JobOf(absl::string_view job_id);

// Options that rank for kNow, with factors.
RankOptions Now();

// `job_id` or `job_id@partition` of each row, in order.
std::vector<std::string> JobIds(const Ranking& ranking, absl::Span<const Job> jobs);
std::vector<std::string> NamesOfPairs(const Snapshot& snapshot, const Ranking& ranking,
                                      absl::Span<const Job> jobs);

}  // namespace priorityd::priority

#endif  // PRIORITYD_TESTS_ENGINE_PRIORITY_SMALL_SITE_H_
