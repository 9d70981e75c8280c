#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

class ClustersCommandTest : public PrioctlTest {
 protected:
  ClustersCommandTest() {
    fake_.list_clusters.Answer(
        [](const v1::ListClustersRequest& request, v1::ListClustersResponse* response) {
          for (const char* name : {"elf", "orc"}) {
            const auto& names = request.names();
            const bool wanted =
                names.empty() || std::find(names.begin(), names.end(), name) != names.end();
            if (!wanted) continue;
            v1::Cluster* cluster = response->add_clusters();
            cluster->set_name(name);
            cluster->set_nodes(12);
            cluster->set_cpus(768);
            (*cluster->mutable_tres())["gres/gpu"] = 4;
          }
          return grpc::Status::OK;
        });
    fake_.delete_cluster.Answer([](const auto&, v1::DeleteClusterResponse* response) {
      response->set_associations(12);
      response->set_jobs(3);
      response->set_records(4567);
      return grpc::Status::OK;
    });
  }
};

TEST_F(ClustersCommandTest, AnEmptyListSaysSo) {
  fake_.list_clusters.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"cluster", "list"}).out, "no clusters\n");
  EXPECT_EQ(Run({"cluster", "list", "--deleted"}).out, "no deleted clusters\n");
}

TEST_F(ClustersCommandTest, ListAndShowPrintTheContentsOfClusters) {
  const std::string list = Output({"cluster", "list"});
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 3);
  EXPECT_THAT(list, HasSubstr("gres/gpu=4"));
  const Finished show = Run({"cluster", "show", "orc"});
  EXPECT_THAT(show.out, HasSubstr("orc"));
  EXPECT_EQ(std::count(show.out.begin(), show.out.end(), '\n'), 2);
  const std::string none = Failure(1, {"cluster", "show", "troll"});
  EXPECT_THAT(none, IsOneLine());
  EXPECT_THAT(none, HasSubstr("troll"));
}

TEST_F(ClustersCommandTest, DeletePrintsTheLossAndDoesNothingUnasked) {
  const std::string error = Failure(1, {"cluster", "delete", "orc"});
  EXPECT_THAT(error, HasSubstr("12 associations, 3 tracked jobs, 4,567 usage records"));
  EXPECT_THAT(error, HasSubstr("--yes"));
  for (const v1::DeleteClusterRequest& request : fake_.delete_cluster.requests()) {
    EXPECT_TRUE(request.validate_only());
  }
}

TEST_F(ClustersCommandTest, DeleteWithYesDeletesTheClusterThatIsTyped) {
  Output({"--cluster", "ORC", "cluster", "delete", "orc", "--yes"});
  ASSERT_EQ(fake_.delete_cluster.requests().size(), 1u);
  EXPECT_EQ(fake_.delete_cluster.requests()[0].name(), "orc");
  EXPECT_FALSE(fake_.delete_cluster.requests()[0].validate_only());
  EXPECT_EQ(Run({"--cluster", "elf", "cluster", "delete"}).exit_code, 2);
}

}  // namespace
}  // namespace priorityd
