// Copies a Slurm cluster to priorityd.
#ifndef PRIORITYD_CLIENT_SLURM_MIRROR_H_
#define PRIORITYD_CLIENT_SLURM_MIRROR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/priority_client.h"
#include "client/slurm/site_texts.h"
#include "priority/v1/ranking.pb.h"

namespace priorityd::slurm_frontend {

struct MirrorOptions {
  std::string cluster;                     // priorityd's; empty = as slurmctld's
  std::string source = "priorityd-slurm";  // of the jobs
  std::vector<std::string> policy_lines;   // override those of the site
};

// The outcome of the queue's update.
struct QueueChange {
  int64_t jobs = 0;
  int64_t changed = 0;
  int64_t removed = 0;
  int64_t refused = 0;
  std::string first_refusal;
};

// Writes the differences to its last write; the first write is an import, which changes nothing
// that is equal already. After an error the next call retries. Not thread-safe.
class Mirror {
 public:
  // `client` must outlive it.
  Mirror(MirrorOptions options, const client::PriorityClient* client)
      : options_(std::move(options)), client_(client) {}

  // Writes the tree, QOS, partitions and policy; deletes rows that the site no longer has. Returns
  // whether anything was written.
  absl::StatusOr<bool> WriteSite(const SiteTexts& texts);

  // Replaces the usage by the output of sshare. Returns whether it was written.
  absl::StatusOr<bool> WriteShares(const std::string& shares);

  // Sets a manual clock. Call before WriteShares.
  absl::Status SetClock(std::optional<absl::Time> now);

  // Usage was written elsewhere: the next Recalculate computes.
  void UsageWasRecorded() { stale_ = true; }

  // Recomputes fair-share if anything was written; on a manual clock for `as_of`.
  absl::Status Recalculate(std::optional<absl::Time> as_of);

  // All jobs of the source.
  absl::StatusOr<QueueChange> WriteQueue(::priority::v1::InlineJobs jobs);

  // Removes these jobs and adds them again, with their present accrue_time.
  absl::Status AddAgain(const std::vector<::priority::v1::Job>& jobs);

  // Forgets its last writes: another priorityd may answer.
  void Forget();

  const std::string& cluster() const { return cluster_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::StatusOr<bool> Import(const std::vector<::priority::v1::File>& files, bool clean);
  bool IsManual() const;

  const MirrorOptions options_;
  const client::PriorityClient* const client_;
  std::string cluster_;
  std::string site_;    // The last write.
  std::string shares_;  // The same.
  bool stale_ = false;  // Written since the last recalculation.
  std::optional<absl::Time> computed_for_;
  std::vector<std::string> warnings_;  // Of the last import of the site.
};

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_MIRROR_H_
