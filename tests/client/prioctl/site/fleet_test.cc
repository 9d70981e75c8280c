#include "client/prioctl/site/fleet.h"

#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd::prioctl {
namespace {

using ::testing::HasSubstr;

TEST(FleetTest, AFileHasALineForEachCell) {
  const auto cells = ParseFleet("# ours\n a = a1:7411, a2:7411 # two\n\nb-2=b:1\n", "fleet.conf");
  ASSERT_TRUE(cells.ok()) << cells.status();
  EXPECT_EQ(*cells, (std::vector<FleetCell>{{"a", {"a1:7411", "a2:7411"}}, {"b-2", {"b:1"}}}));
}

TEST(FleetTest, ABadLineIsNamed) {
  for (const char* text : {"a = a1:1\nb\n", "a = a1:1\nb =\n", "a = a1:1\nb = x,,y\n",
                           "a = a1:1\nb c = x\n", "a = a1:1\na = a2:1\n"}) {
    EXPECT_THAT(ParseFleet(text, "fleet.conf").status().message(), HasSubstr("fleet.conf line 2"));
  }
  EXPECT_THAT(ParseFleet("# none\n", "fleet.conf").status().message(), HasSubstr("got no cell"));
}

}  // namespace
}  // namespace priorityd::prioctl

namespace priorityd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class FleetCommandTest : public PrioctlTest {};

TEST_F(FleetCommandTest, StatusShowsEachCellAndWhatDoesNotAnswer) {
  fake_.get_status.Answer([](const auto&, v1::GetStatusResponse* response) {
    response->set_leader(true);
    response->set_cell("a");
    for (const char* name : {"orc", "elf"}) {
      auto& cluster = *response->add_clusters();
      cluster.set_cluster(name);
      cluster.set_associations(600);
    }
    response->mutable_ingest()->set_accepted_per_second(12.25);
    return grpc::Status::OK;
  });
  const std::string cell = "a=" + fake_.address();
  const Finished one = Run({"fleet", "status", "--cell", cell});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_THAT(one.out, HasSubstr("1,200"));
  EXPECT_THAT(one.out, HasSubstr("12.2"));
  const Finished two = Run({"fleet", "status", "--cell", cell, "--cell", "b=127.0.0.1:1"});
  EXPECT_EQ(two.exit_code, 3);
  EXPECT_THAT(two.out, HasSubstr("! b: NO_ANSWER: 127.0.0.1:1: Connection refused\n"));
  // The address is one of another cell.
  const Finished wrong = Run({"fleet", "status", "--cell", "c=" + fake_.address()});
  EXPECT_THAT(wrong.out, HasSubstr("CELL_DIFFERS"));
  const Finished json = Run({"fleet", "status", "--json", "--cell", cell});
  EXPECT_THAT(json.out, HasSubstr("{\"cell\":\"a\",\"replicas\":[{"));
}

TEST_F(FleetCommandTest, StatusNamesAClusterThatTwoCellsHave) {
  fake_.get_status.Answer([](const auto&, v1::GetStatusResponse* response) {
    response->add_clusters()->set_cluster("orc");
    return grpc::Status::OK;
  });
  const std::string address = fake_.address();
  const Finished one = Run({"fleet", "status", "--cell", "a=" + address});
  EXPECT_EQ(one.exit_code, 0) << one.out;
  const Finished two = Run({"fleet", "status", "--cell", "a=" + address, "--cell", "b=" + address});
  EXPECT_EQ(two.exit_code, 3);
  EXPECT_THAT(two.out, HasSubstr("! CLUSTER_IN_TWO_CELLS: Cluster orc is in cells a and b,"));
}

TEST_F(FleetCommandTest, ACellThatDoesNotAnswerIsNamedAndNotTheServerOfOtherCommands) {
  fake_.list_clusters.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const std::vector<std::string> cells = {"--cell", "a=" + fake_.address(), "--cell",
                                          "b=127.0.0.1:1"};
  for (std::vector<std::string> command :
       {std::vector<std::string>{"fleet", "map"}, {"cluster", "move", "orc", "--to", "b"}}) {
    command.insert(command.end(), cells.begin(), cells.end());
    const std::string finished = Failure(1, command);
    EXPECT_THAT(finished,
                HasSubstr("cell b: got no answer from 127.0.0.1:1 (Connection refused), want one"));
    EXPECT_THAT(finished, Not(HasSubstr(fake_.address())));
  }
  const std::string cancelled =
      Failure(1, {"cluster", "move", "orc", "--to", "b", "--cancel", "--cell",
                  "a=" + fake_.address(), "--cell", "b=127.0.0.1:1"});
  EXPECT_THAT(cancelled, HasSubstr("(Connection refused), want one; --cancel needs the answer"));
}

TEST_F(FleetCommandTest, AMissingFileOfTheFleetIsAskedFor) {
  EXPECT_THAT(Failure(1, {"fleet", "status", "--fleet", "/nowhere/fleet.conf"}),
              HasSubstr("/nowhere/fleet.conf: No such file or directory; want a file"));
}

TEST_F(FleetCommandTest, AMoveThatHasEndedIsNotCancelled) {
  fake_.move_cluster.Answer([](const auto&, v1::ClusterMove* response) {
    response->set_state(v1::MOVE_STATE_HERE);
    return grpc::Status::OK;
  });
  const std::string cell = "a=" + fake_.address();
  EXPECT_EQ(Output({"cluster", "move", "orc", "--to", "a", "--cell", cell}),
            "cluster orc is in cell a already\n");
  EXPECT_THAT(Failure(1, {"cluster", "move", "orc", "--to", "a", "--cancel", "--cell", cell}),
              HasSubstr("--cancel: got cluster orc, which is in cell a already"));
}

TEST_F(FleetCommandTest, AMoveToTheCellThatAClusterIsLeavingNamesItsTarget) {
  fake_.move_cluster.Answer([](const auto&, v1::ClusterMove* response) {
    response->set_state(v1::MOVE_STATE_FROZEN);
    response->set_cell("a");
    return grpc::Status::OK;
  });
  std::vector<std::string> command = {
      "cluster", "move", "orc", "--to", "b", "--cell", "b=" + fake_.address()};
  const char* want = "--to: got b, want a, to which the cluster is moving; --to a --cancel";
  EXPECT_THAT(Failure(1, command), HasSubstr(want));
  command.push_back("--cancel");
  EXPECT_THAT(Failure(1, command), HasSubstr(want));
}

TEST_F(FleetCommandTest, AMoveThatNothingUndoesIsToBeFinished) {
  fake_.move_cluster.Answer([](const auto&, v1::ClusterMove* response) {
    response->set_state(v1::MOVE_STATE_MOVED);
    response->set_rows_left(true);
    response->set_cell("a");
    return grpc::Status::OK;
  });
  const std::vector<std::string> moved = {
      "cluster", "move", "orc", "--to", "b", "--cell", "b=" + fake_.address()};
  const char* want =
      "--to: got b, want a, to which the cluster is moving; --to a finishes that move";
  EXPECT_THAT(Failure(1, moved), HasSubstr(want));
  // The tool was killed once `a` had the cluster, which `b` does not know.
  FakePriorityd target;
  target.move_cluster.Answer([](const auto&, v1::ClusterMove* response) {
    response->set_state(v1::MOVE_STATE_ARRIVED);
    return grpc::Status::OK;
  });
  fake_.move_cluster.Answer([](const auto&, v1::ClusterMove* response) {
    response->set_state(v1::MOVE_STATE_FROZEN);
    response->set_cell("a");
    return grpc::Status::OK;
  });
  std::vector<std::string> killed = moved;
  killed.insert(killed.end(), {"--cell", "a=" + target.address()});
  EXPECT_THAT(Failure(1, killed), HasSubstr(want));
}

TEST_F(FleetCommandTest, TheMapHasALineForEachCluster) {
  fake_.list_clusters.Answer([](const auto&, v1::ListClustersResponse* response) {
    response->add_clusters()->set_name("orc");
    response->add_clusters()->set_name("a b");
    return grpc::Status::OK;
  });
  const Finished map = Run({"fleet", "map", "--cell", "a=" + fake_.address()});
  EXPECT_EQ(map.out, "a%20b a\norc a\n") << map.err;
  // One in two cells.
  EXPECT_THAT(Failure(1, {"fleet", "map", "--cell", "a=" + fake_.address(), "--cell",
                          "b=" + fake_.address()}),
              HasSubstr("want it in one"));
}

TEST_F(FleetCommandTest, AMoveNeedsACellOfTheFleet) {
  EXPECT_THAT(Failure(2, {"cluster", "move", "orc", "--to", "z", "--cell", "a=" + fake_.address()}),
              HasSubstr("want one of a"));
}

}  // namespace
}  // namespace priorityd
