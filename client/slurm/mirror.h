// Makes priorityd what a Slurm cluster is.
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
  std::vector<std::string> policy_lines;   // against those of the site
};

// What became of the queue.
struct QueueChange {
  int64_t jobs = 0;
  int64_t changed = 0;
  int64_t removed = 0;
  int64_t refused = 0;
  std::string first_refusal;
};

// Writes what differs from what it wrote last; what it has never written goes through an import,
// which changes nothing where nothing is new. After an error the same is tried again with the next
// call. Not thread-safe.
class Mirror {
 public:
  // `client` must outlive it.
  Mirror(MirrorOptions options, const client::PriorityClient* client)
      : options_(std::move(options)), client_(client) {}

  // Tree, QOS, partitions and policy. Whether anything was written. What a site no longer has is
  // deleted.
  absl::StatusOr<bool> TakeSite(const SiteTexts& texts);

  // What sshare told, in place of what it told before. Whether it was written.
  absl::StatusOr<bool> TakeShares(const std::string& shares);

  // On a manual clock: it is this time from now on. Call before TakeShares.
  absl::Status SetClock(std::optional<absl::Time> now);

  // Somebody else wrote usage: the next Recalculate computes.
  void UsageWasRecorded() { stale_ = true; }

  // Has fair-share computed anew from what was written, if anything was; on a manual clock for
  // `as_of`.
  absl::Status Recalculate(std::optional<absl::Time> as_of);

  // All jobs of the source.
  absl::StatusOr<QueueChange> TakeQueue(priority::v1::InlineJobs jobs);

  // Removes these jobs and tells them anew, with the accrue_time that they have now.
  absl::Status TellAnew(const std::vector<priority::v1::Job>& jobs);

  // Forgets what it wrote: another priorityd may answer.
  void Forget();

  const std::string& cluster() const { return cluster_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  absl::StatusOr<bool> Import(const std::vector<priority::v1::File>& files, bool clean);
  bool IsManual() const;

  const MirrorOptions options_;
  const client::PriorityClient* const client_;
  std::string cluster_;
  std::string site_;    // What was written last.
  std::string shares_;  // The same.
  bool stale_ = false;  // Something was written since the last recalculation.
  std::optional<absl::Time> computed_for_;
  std::vector<std::string> warnings_;  // Of the last import of the site.
};

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_MIRROR_H_
