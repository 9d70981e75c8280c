// Forecasts that nobody needs any more.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "server/api/forecasts/forecast_starts.h"
#include "server/forecasts/book.h"
#include "server/queue/state/queue_update.h"
#include "server/queue/state/tracked_queue.h"
#include "server/threads/work_scope.h"
#include "tests/engine/priority/small_site.h"

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using priority::kNow;

// A hundred jobs wait, of which all is learned; the caller is gone when it is asked a third time.
class GoneForecastTest : public testing::Test {
 protected:
  GoneForecastTest() : queue_(site_.Build()) {
    std::vector<std::string> ids;
    for (int i = 1; i <= 100; ++i) ids.push_back(absl::StrCat(i));
    std::vector<forecasts::Event> events;
    queue::QueueUpdate update(queue_, kNow);
    for (const std::string& id : ids) {
      queue::TrackedJob job;
      job.job = priority::JobOf(id);
      job.job.partitions = {"main"};
      job.source = "test";
      update.Upsert(job);
      events.push_back(forecasts::MakeEvent(forecasts::EventKind::kSubmit, job.job,
                                            absl::ToUnixSeconds(kNow) - 3600));
      events.back().number = static_cast<int64_t>(events.size());
      events.back().cpus = 1;
    }
    queue_.Apply(update.Finish());
    book_.Apply(events);
  }

  absl::Status Forecast(const v1::ForecastStartsRequest& request) {
    int asked = 0;
    const auto check = [&asked] {
      return ++asked == 3 ? absl::CancelledError("gone") : absl::OkStatus();
    };
    const threads::WorkScope scope(check);
    return ForecastStarts({}, queue_.state(), &book_, {}, kNow, request, &response_);
  }

  priority::SmallSite site_;
  queue::TrackedQueue queue_;
  forecasts::Book book_;
  v1::ForecastStartsResponse response_;
};

TEST_F(GoneForecastTest, OfTrackedJobsTheNextTenAreNotForecast) {
  EXPECT_EQ(Forecast({}), absl::CancelledError("gone"));
  EXPECT_EQ(response_.forecasts_size(), 20);
}

TEST_F(GoneForecastTest, OfJobsInTheRequestTheNextOneIsNotForecast) {
  v1::ForecastStartsRequest request;
  for (int i = 0; i < 5; ++i) {
    v1::Job& job = *request.mutable_jobs()->add_jobs();
    job.set_job_id(absl::StrCat("new-", i));
    job.set_user("ann");
    job.set_account("physics");
  }
  EXPECT_EQ(Forecast(request), absl::CancelledError("gone"));
  EXPECT_EQ(response_.forecasts_size(), 2);
}

}  // namespace
}  // namespace priorityd::rpc
