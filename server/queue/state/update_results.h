// The results of a request's jobs.
#ifndef PRIORITYD_SERVER_QUEUE_STATE_UPDATE_RESULTS_H_
#define PRIORITYD_SERVER_QUEUE_STATE_UPDATE_RESULTS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "server/queue/state/job_rights.h"
#include "server/queue/state/packed_job.h"
#include "server/queue/state/submit_limits.h"
#include "server/queue/state/tracked_job.h"

namespace priorityd::queue {

// kNotFound: for a change of single fields of a missing job.
enum class UpdateOutcome { kUpserted, kUnchanged, kRemoved, kRefused, kInvalid, kNotFound };

// The reason for a job beyond the bounds.
inline constexpr char kFullReason[] = "MaxJobCount";

// The result of one job.
struct UpdateResult {
  UpdateOutcome outcome = UpdateOutcome::kUnchanged;
  // For kRefused Slurm's name (MaxJobCount: the queue is full), `AccessDenied` if the caller lacks
  // the right, `OtherSource` if the job belongs to another source; `InvalidJob` for kInvalid.
  std::string reason;
  // The job's field at fault, for kInvalid, AccessDenied and OtherSource, and for other kRefused if
  // there is one.
  std::string field;
  std::string message;  // For kRefused and kInvalid.
  // If the snapshot's configuration refused the job and the stored one may accept it: the wanted
  // job, packed.
  std::string refused_by_snapshot = {};
  std::string quota = {};  // The name of the quota that refused the job, if one did.
};

// Each Add returns the index of its result.
class UpdateResults {
 public:
  size_t Add(UpdateResult result) {
    results_.push_back(std::move(result));
    return results_.size() - 1;
  }
  size_t Add(UpdateOutcome outcome) { return Add(UpdateResult{.outcome = outcome}); }
  size_t AddViolation(absl::string_view field, absl::string_view message) {
    return Add({UpdateOutcome::kInvalid, "InvalidJob", std::string(field),
                absl::StrCat(field, ": ", message)});
  }
  // `field: message`.
  size_t AddViolation(absl::string_view violation) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(violation, absl::MaxSplits(": ", 1));
    return AddViolation(parts.first, parts.second);
  }
  size_t AddRefused(const Refusal& refusal, const TrackedJob& wanted) {
    return Add({.outcome = UpdateOutcome::kRefused,
                .reason = refusal.reason,
                .field = refusal.field,
                .message = refusal.message,
                .refused_by_snapshot = refusal.by_snapshot ? PackJob(wanted) : "",
                .quota = refusal.quota});
  }
  size_t AddDenied(const DeniedChange& denied) {
    return Add(
        {UpdateOutcome::kRefused, "AccessDenied", std::string(denied.field), denied.message});
  }
  size_t AddOtherSource(absl::string_view got, absl::string_view want) {
    return Add(
        {UpdateOutcome::kRefused, "OtherSource", "source",
         absl::StrCat("source: got ", got, ", want ", want, ", the source that owns the job")});
  }
  size_t AddTwice() { return AddViolation("job_id", "got it twice, want it once"); }

  void Set(size_t index, UpdateOutcome outcome) { results_[index].outcome = outcome; }
  const std::vector<UpdateResult>& all() const { return results_; }

 private:
  std::vector<UpdateResult> results_;
};

}  // namespace priorityd::queue

#endif  // PRIORITYD_SERVER_QUEUE_STATE_UPDATE_RESULTS_H_
