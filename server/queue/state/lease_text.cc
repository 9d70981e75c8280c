#include "server/queue/state/lease_text.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace priorityd::queue {

std::string LeaseSentence(const priority::Snapshot& snapshot, const TrackedJob& job) {
  const priority::LeasedNice* leased = snapshot.FindLeasedNice(job.job.job_id);
  if (leased == nullptr) return "";
  return absl::StrCat(
      "Its nice value is ", leased->nice, " until ",
      absl::FormatTime("%Y-%m-%dT%H:%M:%S", leased->until, snapshot.policy().time_zone), ", then ",
      leased->then.value_or(job.job.nice), " (lease ", leased->lease_id, ").");
}

}  // namespace priorityd::queue
