// What a stop of the service leaves of the forecasts.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/forecasts/books.h"
#include "storage/database/database.h"
#include "storage/jobs/forecast_store.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/palmetto_site.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

using forecasts::Books;
using forecasts::BooksOptions;
using palmetto::At;
using palmetto::Waits;

constexpr char kCluster[] = "palmetto";
constexpr int32_t kClusterId = 1;

class ForecastsAtStopTest : public testing::Test {
 protected:
  ForecastsAtStopTest() {
    Import(service_, palmetto::Site());
    service_.SetNow(At(8, 0));
  }

  BooksOptions Options(bool leads) {
    return {.database = &service_.database(),
            .queues = &service_.queues(),
            .leads = [leads] { return leads; },
            .clock = [this] { return service_.now(); },
            .period = absl::InfiniteDuration()};
  }

  void Submit(int jobs) {
    std::vector<v1::Job> waiting;
    for (int i = 1; i <= jobs; ++i) waiting.push_back(Waits(absl::StrCat(i), At(8, 0), 1, 60));
    UpdateJobs(service_, Upserts(waiting));
  }

  // Of another leader, each of a job that begins to wait.
  void Store(int64_t count) {
    std::vector<storage::ForecastEventRow> events;
    for (int64_t number = 1; number <= count; ++number) {
      auto event = forecasts::MakeEvent(forecasts::EventKind::kSubmit, absl::StrCat("of-", number),
                                        absl::ToUnixSeconds(At(7, 0)));
      event.number = number;
      event.cpus = 1;
      events.push_back(std::move(event));
    }
    const absl::Status stored = service_.database().Write([&](storage::Transaction& transaction) {
      return storage::ForecastStore(transaction).Append(kClusterId, events);
    });
    ASSERT_TRUE(stored.ok()) << stored;
  }

  int64_t LastStored() {
    return service_.database()
        .Read([](storage::Transaction& transaction) {
          return storage::ForecastStore(transaction).Last(kClusterId);
        })
        .value();
  }

  TestService service_;
};

TEST_F(ForecastsAtStopTest, StoredEventsAreAppliedAfterTheNextStart) {
  Submit(3);
  int changes = 0;
  Books* running = nullptr;
  BooksOptions options = Options(/*leads=*/true);
  options.on_changed = [&](const std::string&) { ++changes; };
  // The events are found by then, and not stored yet.
  options.nodes = [&](const auto&) {
    running->Stop();
    return nullptr;
  };
  Books stopped(std::move(options));
  running = &stopped;
  stopped.RunTurn();
  EXPECT_EQ(LastStored(), 3);
  EXPECT_EQ(stopped.Find(kCluster)->last(), 0) << "no event is applied after the stop";
  EXPECT_EQ(changes, 0);

  Books next(Options(/*leads=*/true));
  next.RunTurn();
  EXPECT_EQ(next.Find(kCluster)->last(), 3);
  EXPECT_EQ(next.Find(kCluster)->phases().size(), 3);
  EXPECT_EQ(LastStored(), 3) << "the events are not found a second time";
}

TEST_F(ForecastsAtStopTest, ALeaderThatStopsWhileItReadsStoresNoEvent) {
  Submit(1);
  constexpr int64_t kStored = 7'000;
  Store(kStored);
  int changes = 0;
  Books* running = nullptr;
  BooksOptions options = Options(/*leads=*/true);
  options.on_changed = [&](const std::string&) {
    ++changes;
    running->Stop();
  };
  Books stopped(std::move(options));
  running = &stopped;
  stopped.RunTurn();
  EXPECT_EQ(changes, 1);
  const int64_t applied = stopped.Find(kCluster)->last();
  EXPECT_GT(applied, 0);
  EXPECT_LT(applied, kStored);
  stopped.RunTurn();
  EXPECT_EQ(stopped.Find(kCluster)->last(), applied) << "there is no turn after the stop";
  EXPECT_EQ(LastStored(), kStored);

  Books next(Options(/*leads=*/false));
  next.RunTurn();
  EXPECT_EQ(next.Find(kCluster)->last(), kStored);
}

}  // namespace
}  // namespace priorityd::rpc
