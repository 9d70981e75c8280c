#include <string>

#include "client/slurm/tables/report_time.h"
#include "tests/fuzz/check.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using priorityd::slurm::Check;
  const absl::Time now = absl::FromUnixSeconds(1'767'571'200);
  const auto time = priorityd::tables::ParseReportTime(priorityd::slurm::FuzzText(data, size), now,
                                                       absl::UTCTimeZone());
  Check(time.ok() || absl::IsInvalidArgument(time.status()), "a text is a time or is not");
  if (!time.ok()) return 0;
  Check(*time > absl::InfinitePast() && *time < absl::InfiniteFuture(), "a time is a moment");
  Check(!priorityd::tables::ReportTimeText(*time, absl::UTCTimeZone()).empty(), "it has a name");
  return 0;
}
