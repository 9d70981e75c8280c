// Follows a running Slurm and compares it with priorityd.
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
#include "client/slurm/comparison.h"
#include "client/slurm/driver.h"
#include "client/slurm/joined_shares.h"
#include "client/slurm/mirror.h"

namespace priorityd::slurm_frontend {

enum class UsageFrom {
  kSshare,  // What slurmctld says at each pass: the same fair-share as its own.
  kSacct,   // What ended jobs used, each once: exact decay, and reports.
  kNone,    // Somebody else tells.
};

struct ObserverOptions {
  MirrorOptions mirror;
  UsageFrom usage = UsageFrom::kSshare;
  absl::Duration sacct_since = absl::Hours(48);  // Looked back at first.
  // Other clusters of the same slurmdbd whose usage counts as well, association by association.
  std::vector<std::string> usage_clusters;
  // A job that slurmctld counts the age of anew, after a hold or a dependency, is told anew. Else
  // it keeps the age that it had, as is priorityd's rule.
  bool ages_of_slurm = true;
  int64_t tolerance = 0;  // Points of priority.
  absl::TimeZone zone = absl::LocalTimeZone();
  // Takes what was set by ourselves back out of a queue before it is mirrored. Set where jobs are
  // driven: then nothing is compared, since sprio shows no factors of jobs that were set.
  std::function<void(const DriveInput&, priority::v1::InlineJobs*)> restore;
};

// What one pass found and did.
struct PassReport {
  std::string cluster;
  bool site_taken = false;
  bool usage_taken = false;
  int64_t usage_records = 0;  // new ones
  int64_t usage_rejected = 0;
  std::string first_rejection;
  std::vector<std::string> away;  // Other clusters whose usage could not be asked for, and why.
  int64_t ages_taken = 0;         // jobs
  QueueChange queue;
  bool has_comparison = false;  // not under priority/basic
  Comparison comparison;
  std::vector<std::string> warnings;
  // Where jobs are driven: what slurmctld has, and our order of job ids.
  DriveInput drive;
  std::vector<std::string> order;
};

// Not thread-safe.
class Observer {
 public:
  // `client` must outlive it.
  Observer(ObserverOptions options, const client::PriorityClient* client, RunCommand run);

  // Reads all, writes what changed, ranks and compares. Slurm is only read. An error leaves both as
  // they are, and the next pass begins anew.
  absl::StatusOr<PassReport> Pass();

 private:
  // What Slurm's tools said.
  struct Seen {
    SiteTexts site;
    std::string shares;  // of this cluster
    ComparisonInput input;
    DriveInput drive;
    std::optional<absl::Time> pass;  // slurmctld's last
  };

  absl::StatusOr<PassReport> TryPass();
  absl::StatusOr<Seen> Look() const;
  absl::Status Take(const Seen& seen, PassReport* report);
  absl::Status TakeUsage(const Seen& seen, PassReport* report);
  void AskOthers(absl::Duration half_life, PassReport* report);
  // With that of the other clusters; nullopt = that of one of them is not known yet.
  absl::StatusOr<std::optional<std::string>> JoinedUsage(const Seen& seen) const;
  absl::Status TakeRecords(PassReport* report);
  // Of this cluster where `cluster` is empty.
  absl::Status TakeRecordsOf(const std::string& cluster, absl::Time since, PassReport* report);
  absl::Status Record(priority::v1::RecordUsageRequest request, PassReport* report) const;
  absl::StatusOr<std::vector<std::string>> Order() const;
  absl::Status CompareWith(Seen* seen, PassReport* report);
  // Whether any was.
  absl::StatusOr<bool> TakeAges(const Seen& seen, PassReport* report);
  absl::Status Rank(std::optional<absl::Time> pass, ComparisonInput* input) const;
  std::map<std::string, priority::v1::TrackedJob> LookUp(
      const std::vector<std::string>& job_ids) const;

  // What another cluster told last.
  struct OtherShares {
    ClusterShares shares;
    absl::Time told_at;
  };

  const ObserverOptions options_;
  const client::PriorityClient* const client_;
  const RunCommand run_;
  Mirror mirror_;
  std::map<std::string, OtherShares> others_;  // by cluster
  bool has_compared_ = false;  // So that a site that is taken over is one that was changed.
  absl::Time records_until_ = absl::InfinitePast();
};

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_OBSERVER_H_
