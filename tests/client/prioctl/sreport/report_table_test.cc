#include "client/prioctl/sreport/report_table.h"

#include <string>
#include <variant>

#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

TEST(ReportTableTest, HalvesAreEvenAsCPrintsThem) {
  SreportOptions options;
  options.time_format = {ReportUnit::kHours, false};
  for (const auto& [hours, printed] : {std::pair(68.5, 68), {69.5, 70}, {0.51, 1}}) {
    EXPECT_EQ(std::get<WholeAmount>(ReportAmount(3600 * hours, 0, options)).amount, printed)
        << hours;
  }
}

TEST(ReportTableTest, UnitsAreSlurmsWords) {
  EXPECT_EQ(UnitText("CPU ", {ReportUnit::kHours, true}), "CPU Hours/Percentage of Total");
  EXPECT_EQ(UnitText("CPU ", {ReportUnit::kPercent, false}), "Percentage of Total");
}

TEST(ReportTableTest, APeriodEndsASecondBeforeItsEnd) {
  ::priority::v1::ReportUsageRequest request;
  request.mutable_start_time()->set_seconds(1767571200);  // 2026-01-05 UTC.
  request.mutable_end_time()->set_seconds(1767571200 + 86400);
  EXPECT_EQ(ReportPeriodText(request, absl::UTCTimeZone()),
            "2026-01-05T00:00:00 - 2026-01-05T23:59:59");
  EXPECT_EQ(ReportLengthText(request), " (86400 secs)");
}

}  // namespace
}  // namespace priorityd::prioctl
