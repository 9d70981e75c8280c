#include "client/prioctl/jobs/staleness.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::jobs {

std::string StalenessText(const ::priority::v1::Snapshot& snapshot) {
  if (!snapshot.has_stale_for()) return "";
  return absl::StrCat("the service has not reached its database for ",
                      slurm::FormatTimeString(absl::Seconds(snapshot.stale_for().seconds())));
}

void WarnOfStaleness(const ::priority::v1::Snapshot& snapshot, std::ostream& err) {
  const std::string text = StalenessText(snapshot);
  if (!text.empty()) err << "warning: " << text << ": the output may be old\n";
}

}  // namespace priorityd::jobs
