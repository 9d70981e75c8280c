// What a stop waits for, and what it does not wait for.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/api/priority_service.h"
#include "server/transport/server.h"
#include "tests/server/service/job_requests.h"
#include "tests/server/service/stubs.h"
#include "tests/server/service/test_service.h"

namespace priorityd::rpc {
namespace {

constexpr int kQueuedJobs = 3000;

v1::UpdateJobsRequest ManyJobs() {
  std::vector<v1::Job> jobs;
  for (int i = 0; i < kQueuedJobs; ++i) jobs.push_back(JobOf(absl::StrCat(i)));
  return Upserts(jobs);
}

// Some 500 KB are being written to who does not read, and never are.
TEST(StopTest, AWatcherWithoutReadsDoesNotDelayItAndAReadingOneIsInformed) {
  TestService service;
  Import(service, SmallSite("PriorityCalcPeriod=5256000\n"));
  UpdateJobs(service, ManyJobs());
  v1::WatchRankingRequest request;
  request.set_limit(kQueuedJobs);
  request.set_view(v1::RANK_VIEW_FULL);
  const auto narrow = v1::PriorityService::NewStub(NarrowChannel(service));
  grpc::ClientContext slow_context, quick_context;
  const auto slow = narrow->WatchRanking(&slow_context, request);
  slow->WaitForInitialMetadata();
  const auto quick = PriorityStub(service).WatchRanking(&quick_context, request);
  v1::WatchRankingResponse answer;
  ASSERT_TRUE(quick->Read(&answer));
  const absl::Time begun = absl::Now();
  service.priority_service().Drain();
  service.server().Drain(absl::Minutes(5));
  EXPECT_LT(absl::Now() - begun, absl::Minutes(1));
  EXPECT_FALSE(quick->Read(&answer));
  EXPECT_EQ(DetailsOf(quick->Finish()).reason, "STOPPING");
}

}  // namespace
}  // namespace priorityd::rpc
