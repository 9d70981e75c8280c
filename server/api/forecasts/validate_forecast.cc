#include "server/api/forecasts/validate_forecast.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

void CheckLevels(const v1::ForecastStartsRequest& request, RequestViolations* violations) {
  violations->CheckCount("levels", request.levels_size(), kMaxLevels);
  double before = 0;
  for (int i = 0; i < std::min(request.levels_size(), kMaxLevels); ++i) {
    const double level = request.levels(i);
    // Also refuses NaN.
    if (!(level > before && level < 1)) {
      violations->Add(absl::StrCat("levels[", i, "]"),
                      absl::StrCat("got ", level, ", want above ", before, " and below 1"));
      return;
    }
    before = level;
  }
}

}  // namespace

absl::Status Validate(const v1::ForecastStartsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  violations.CheckCount("job_ids", request.job_ids_size(), kMaxForecasts);
  violations.CheckTexts("job_ids", request.job_ids());
  violations.CheckInlineJobs(request.jobs(), kMaxSupposedJobs);
  CheckLevels(request, &violations);
  return violations.ToStatus();
}

absl::Status Validate(const v1::ScoreForecastsRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  return violations.ToStatus();
}

absl::Status CheckForecasts(const forecasts::Books& books) {
  if (books.enabled()) return absl::OkStatus();
  return errors::WithReason(
      absl::FailedPreconditionError("this server makes no forecasts (--forecast_interval=0)"),
      "NO_FORECASTS");
}

}  // namespace priorityd::rpc
