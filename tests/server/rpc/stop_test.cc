// What a stop waits for, and what it does not wait for.
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "server/rpc/priority_service.h"
#include "server/rpc/server.h"
#include "tests/server/rpc/stubs.h"
#include "tests/server/rpc/test_service.h"

namespace priorityd::rpc {
namespace {

constexpr int kJobs = 3000;

v1::UpdateJobsRequest ManyJobs() {
  v1::UpdateJobsRequest request;
  for (int i = 0; i < kJobs; ++i) {
    v1::Job* job = request.add_upserts();
    job->set_job_id(absl::StrCat(i));
    job->set_user("amy");
  }
  return request;
}

// A connection of its own that takes 64 KiB ahead of its reader, never more.
std::shared_ptr<grpc::Channel> NarrowChannel(TestService& service) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt("grpc.enable_http_proxy", 0);
  return grpc::CreateCustomChannel(service.server().address(), grpc::InsecureChannelCredentials(),
                                   arguments);
}

// Some 500 KB are being written to who does not read, and never are.
TEST(StopTest, AWatcherWhoDoesNotReadDoesNotHoldItUpAndWhoReadsIsTold) {
  TestService service;
  Import(service, SmallSite("PriorityCalcPeriod=5256000\n"));
  UpdateJobs(service, ManyJobs());
  v1::WatchRankingRequest request;
  request.set_limit(kJobs);
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
