// `prioctl usage sources`, run as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd::prioctl {
namespace {

using testing::HasSubstr;
namespace v1 = ::priority::v1;

class UsageSourcesTest : public PrioctlTest {
 protected:
  UsageSourcesTest() {
    fake_.list_clusters.Answer([](const auto&, v1::ListClustersResponse* response) {
      response->add_clusters()->set_name("elf");
      response->add_clusters()->set_name("orc");
      return grpc::Status::OK;
    });
    // Two pages of a source each.
    fake_.list_usage_sources.Answer(
        [](const v1::ListUsageSourcesRequest& request, v1::ListUsageSourcesResponse* response) {
          response->set_cluster(request.cluster());
          v1::UsageSource* source = response->add_sources();
          const bool is_last = !request.page_token().empty();
          source->set_source(is_last ? "sacct" : "pbs");
          source->set_last_job_id("77");
          source->mutable_last_end()->set_seconds(1767571200);
          source->mutable_last_recorded_at()->set_seconds(1767574800);
          if (!is_last) response->set_next_page_token("next");
          return grpc::Status::OK;
        });
  }
};

TEST_F(UsageSourcesTest, EverySourceOfEveryClusterIsShown) {
  const std::string out = Output({"usage", "sources"});
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 5);
  for (const char* text : {"elf", "orc", "pbs", "sacct", "77", "2026-01-0", "ever"}) {
    EXPECT_THAT(out, HasSubstr(text));
  }
}

TEST_F(UsageSourcesTest, ClustersWithoutSourcesAreOneLine) {
  fake_.list_usage_sources.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Output({"usage", "sources"}), "no sources have recorded usage\n");
}

TEST_F(UsageSourcesTest, AClusterOfTheCommandLineIsTheOnlyOne) {
  const std::string out = Output({"--cluster", "orc", "usage", "sources", "--json"});
  EXPECT_TRUE(fake_.list_clusters.requests().empty());
  EXPECT_THAT(out, HasSubstr("\"lastEnd\""));
  EXPECT_EQ(fake_.list_usage_sources.requests()[0].cluster(), "orc");
}

TEST_F(UsageSourcesTest, ACollectorThatMayNotListClustersAsksForItsOwn) {
  fake_.list_clusters.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::PERMISSION_DENIED, "ListClusters: got a collector");
  });
  Output({"usage", "sources"});
  EXPECT_EQ(fake_.list_usage_sources.requests()[0].cluster(), "");
}

}  // namespace
}  // namespace priorityd::prioctl
