// Requests for a cluster that has moved to another cell.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/await.h"
#include "tests/server/gateway/http_site.h"

namespace priorityd::gateway {
namespace {

// HAProxy reads the header, and sends the next request there.
TEST(MovedClusterTest, ARequestForAClusterThatMovedIsAnsweredWithItsCell) {
  HttpSite site;
  nlohmann::json move = {{"cluster", "c"}, {"cell", "b"}};
  for (const char* step : {"MOVE_STEP_LEAVE", "MOVE_STEP_FREEZE", "MOVE_STEP_REDIRECT"}) {
    move["step"] = step;
    const auto made = site.Post("/v1/AdminService/MoveCluster", "adm", move.dump());
    ASSERT_EQ(made->status, 200) << step << made->body;
    move["moveId"] = nlohmann::json::parse(made->body)["moveId"];
  }
  const std::string query = "?cluster=c";
  ASSERT_TRUE(Await(
      [&] { return site.Get("/v1/PriorityService/ListShares" + query, "ope")->status == 503; }));
  for (const std::string& path :
       {"/v1/PriorityService/ListShares" + query, "/v1/PriorityService/WatchRanking" + query,
        "/slurm/v0.0.42/shares" + query}) {
    const auto moved = site.Get(path, "ope");
    EXPECT_EQ(moved->status, 503) << path << moved->body;
    EXPECT_EQ(moved->get_header_value("priorityd-moved-to"), "b") << path;
    EXPECT_EQ(moved->get_header_value("priorityd-moved-cluster"), "c") << path;
  }
  // Also to those whose roles have moved with it.
  const auto audit = site.Get("/v1/AdminService/ListAuditEvents" + query, "ope");
  EXPECT_EQ(audit->status, 503) << audit->body;
  EXPECT_EQ(audit->get_header_value("priorityd-moved-to"), "b");
  const auto other = site.Get("/v1/PriorityService/ListShares?cluster=d", "ope");
  EXPECT_FALSE(other->has_header("priorityd-moved-to")) << other->body;
}

}  // namespace
}  // namespace priorityd::gateway
