#include <string>

#include "client/slurm/tables/report_time.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/target.h"

namespace priorityd::tables {
namespace {

void RunOne(const std::string& text) {
  using slurm::Check;
  const absl::Time now = absl::FromUnixSeconds(1'767'571'200);
  const auto time = ParseReportTime(text, now, absl::UTCTimeZone());
  Check(time.ok() || absl::IsInvalidArgument(time.status()), "a text is a time or is not");
  if (!time.ok()) return;
  Check(*time > absl::InfinitePast() && *time < absl::InfiniteFuture(), "a time is a moment");
  Check(!ReportTimeText(*time, absl::UTCTimeZone()).empty(), "it has a name");
}

[[maybe_unused]] const bool registered = fuzz::Register({"report_time", RunOne});

}  // namespace
}  // namespace priorityd::tables
