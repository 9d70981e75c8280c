#include "server/api/ranking/validate_ranking.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "server/messages/request_violations.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

constexpr uint32_t kMaxWatchedRows = 10'000;

// Each has its forecast computed again after each change.
constexpr uint32_t kMaxForecastRows = 1'000;

constexpr absl::Duration kLeastAgeInterval = absl::Milliseconds(100);

constexpr absl::Duration kMostMinInterval = absl::Hours(1);

}  // namespace

absl::Status Validate(const v1::RankJobsRequest& request, const RequestLimits& limits) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  if (request.source_case() == v1::RankJobsRequest::SOURCE_NOT_SET) {
    violations.Add("source", "got none, want jobs or tracked");
  }
  violations.CheckInlineJobs(request.jobs(), limits.max_jobs);
  violations.CheckView(request.view());
  if (request.has_as_of()) violations.CheckTime("as_of", request.as_of());
  violations.CheckTexts("partitions", request.partitions());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  return violations.ToStatus();
}

absl::Status Validate(const v1::WatchRankingRequest& request) {
  RequestViolations violations;
  violations.CheckClusterName("cluster", request.cluster());
  const uint32_t most = request.with_forecasts() ? kMaxForecastRows : kMaxWatchedRows;
  if (request.limit() > most) {
    violations.Add("limit", absl::StrCat("got ", request.limit(), ", want at most ", most));
  }
  violations.CheckView(request.view());
  violations.CheckTexts("partitions", request.partitions());
  violations.CheckTexts("accounts", request.accounts());
  violations.CheckTexts("users", request.users());
  if (request.has_age_interval()) {
    violations.CheckDuration("age_interval", request.age_interval(), kLeastAgeInterval,
                             absl::InfiniteDuration());
  }
  violations.CheckDuration("min_interval", request.min_interval(), absl::ZeroDuration(),
                           kMostMinInterval);
  return violations.ToStatus();
}

}  // namespace priorityd::rpc
