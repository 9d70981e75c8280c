// Mirrors a running Slurm and compares it with priorityd.
#ifndef PRIORITYD_CLIENT_SLURM_OBSERVER_H_
#define PRIORITYD_CLIENT_SLURM_OBSERVER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "client/slurm/commands.h"
#include "client/slurm/driver.h"
#include "client/slurm/joined_shares.h"
#include "client/slurm/mirror.h"
#include "client/slurm/priority_comparison.h"
#include "client/slurm/records_since.h"

namespace priorityd::slurm_frontend {

enum class UsageFrom {
  kSshare,  // slurmctld's sums at each pass: the same fair-share as slurmctld.
  kSacct,   // The usage of ended jobs, each once: exact decay, and reports.
  kNone,    // Another collector records usage.
};

struct ObserverOptions {
  MirrorOptions mirror;
  UsageFrom usage = UsageFrom::kSshare;
  absl::Duration sacct_since = absl::Hours(48);  // Looked back at the start.
  // Other clusters of the same slurmdbd whose usage is added, association by association.
  std::vector<std::string> usage_clusters;
  // A job whose age slurmctld resets, after a hold or a dependency, is added again. Otherwise it
  // keeps its age, which is priorityd's rule.
  bool ages_of_slurm = true;
  int64_t tolerance = 0;  // Points of priority.
  absl::TimeZone zone = absl::LocalTimeZone();
  // Restores the users' values in a queue before it is mirrored. Set when jobs are driven: then
  // nothing is compared, because sprio shows no factors of set jobs.
  std::function<void(const DriveInput&, ::priority::v1::InlineJobs*)> restore;
};

// The results of one pass.
struct PassReport {
  std::string cluster;
  bool site_taken = false;
  bool usage_taken = false;
  int64_t usage_records = 0;  // new ones
  int64_t usage_rejected = 0;
  std::string first_rejection;
  std::vector<std::string> away;  // Other clusters whose usage could not be read, with the reason.
  int64_t ages_taken = 0;         // jobs
  QueueChange queue;
  bool has_comparison = false;  // not under priority/basic
  Comparison comparison;
  std::vector<std::string> warnings;
  // The state of slurmctld, and our order of job ids; set if jobs are driven.
  DriveInput drive;
  std::vector<std::string> order;
};

// Not thread-safe.
class Observer {
 public:
  // `client` must outlive it.
  Observer(ObserverOptions options, const client::PriorityClient* client, RunCommand run);

  // Reads Slurm, writes the changes to priorityd, ranks and compares. Slurm is only read. After an
  // error the next pass starts again.
  absl::StatusOr<PassReport> Pass();

 private:
  // The output of Slurm's tools.
  struct Seen {
    SiteTexts site;
    std::string shares;  // of this cluster
    ComparisonInput input;
    DriveInput drive;
    std::optional<absl::Time> pass;  // slurmctld's last
  };

  absl::StatusOr<PassReport> TryPass();
  absl::StatusOr<Seen> Look() const;
  absl::Status Write(const Seen& seen, PassReport* report);
  absl::Status WriteUsage(const Seen& seen, PassReport* report);
  void AskOthers(absl::Duration half_life, PassReport* report);
  // With the usage of the other clusters; nullopt = one of them is not known yet.
  absl::StatusOr<std::optional<std::string>> JoinedUsage(const Seen& seen) const;
  absl::Status RecordRuns(PassReport* report);
  // Of this cluster if `cluster` is empty.
  absl::Status RecordRunsOf(const std::string& cluster, absl::Time since, PassReport* report);
  absl::Status Record(::priority::v1::RecordUsageRequest request, PassReport* report) const;
  absl::StatusOr<std::vector<std::string>> Order() const;
  absl::Status CompareWith(Seen* seen, PassReport* report);
  // Whether any was written.
  absl::StatusOr<bool> WriteAges(const Seen& seen, PassReport* report);
  absl::Status Rank(std::optional<absl::Time> pass, ComparisonInput* input) const;
  std::map<std::string, ::priority::v1::TrackedJob> LookUp(
      const std::vector<std::string>& job_ids) const;

  // The last usage of another cluster.
  struct OtherShares {
    ClusterShares shares;
    absl::Time reported_at;
  };

  const ObserverOptions options_;
  const client::PriorityClient* const client_;
  const RunCommand run_;
  Mirror mirror_;
  std::map<std::string, OtherShares> others_;  // by cluster
  bool has_compared_ =
      false;  // So that a new site counts as changed only after the first comparison.
  RecordsSince records_since_;
};

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_OBSERVER_H_
