// The tags of answers over HTTP, by real requests to a real server.
#include "server/gateway/call_tags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/server/gateway/http_site.h"

namespace priorityd::gateway {
namespace {

using ::testing::StartsWith;

constexpr char kTaggedShares[] = "/v1/PriorityService/ListShares";
constexpr char kRecalculateByHttp[] = "/v1/AdminService/Recalculate";

class CallTagsTest : public testing::Test {
 protected:
  HttpSite site_;
};

TEST_F(CallTagsTest, AnUnchangedTreeIsNotSentAgainButToSomebodyElse) {
  const auto first = site_.Get(kTaggedShares, "ope");
  const std::string tag = first->get_header_value("ETag");
  ASSERT_THAT(tag, StartsWith("W/\"g"));
  const auto again = site_.Get(kTaggedShares, "ope", {{"If-None-Match", tag}});
  EXPECT_EQ(again->status, 304);
  EXPECT_EQ(again->body, "");
  EXPECT_EQ(again->get_header_value("ETag"), tag);
  EXPECT_EQ(site_.Get(kTaggedShares, "amy", {{"If-None-Match", tag}})->status, 200);
  EXPECT_EQ(site_.Get(kTaggedShares, "", {{"If-None-Match", tag}})->status, 401);
  const std::string other = absl::StrCat(kTaggedShares, "?users=amy");
  EXPECT_EQ(site_.Get(other, "ope", {{"If-None-Match", tag}})->status, 200);
  ASSERT_EQ(site_.Post(kRecalculateByHttp, "ope", "{}")->status, 200);
  EXPECT_EQ(site_.Get(kTaggedShares, "ope", {{"If-None-Match", tag}})->status, 200);
}

// Creates the cluster `man` of one account, recalculated for a fixed time.
void CreateManualCluster(HttpSite& site, int shares) {
  const nlohmann::json import = {
      {"cluster", "man"},
      {"files",
       {{{"kind", "FILE_KIND_SLURM_CONF"},
         {"name", "slurm.conf"},
         {"content", absl::StrCat("PriorityType=priority/multifactor\nClock=manual\n",
                                  "NodeName=n CPUs=1\nPartitionName=p Nodes=ALL\n")}},
        {{"kind", "FILE_KIND_SACCTMGR_DUMP"},
         {"name", "dump"},
         {"content", absl::StrCat("Cluster - 'man'\nParent - 'root'\nAccount - 'chem':Fairshare=",
                                  shares, "\n")}}}}};
  const auto imported = site.Post("/v1/AdminService/Import", "root", import.dump());
  ASSERT_EQ(imported->status, 200) << imported->body;
  const auto recalculated = site.Post(kRecalculateByHttp, "root",
                                      R"({"cluster": "man", "asOf": "2026-01-01T00:00:00Z"})");
  ASSERT_EQ(recalculated->status, 200) << recalculated->body;
}

TEST_F(CallTagsTest, AClusterThatWasDeletedAndCreatedAgainHasOtherTags) {
  const std::string shares = absl::StrCat(kTaggedShares, "?cluster=man");
  CreateManualCluster(site_, 60);
  const auto before = site_.Get(shares, "root");
  const std::string tag = before->get_header_value("ETag");
  ASSERT_EQ(site_.Get(shares, "root", {{"If-None-Match", tag}})->status, 304);
  const auto deleted = site_.Post("/v1/AdminService/DeleteCluster", "root", R"({"name": "man"})");
  ASSERT_EQ(deleted->status, 200) << deleted->body;
  CreateManualCluster(site_, 6);
  const auto after = site_.Get(shares, "root", {{"If-None-Match", tag}});
  EXPECT_EQ(after->status, 200);
  EXPECT_NE(after->get_header_value("ETag"), tag);
  EXPECT_NE(after->body, before->body);
}

TEST_F(CallTagsTest, ATagThatIsNoneOfItsOwnIsNotPassedOn) {
  const std::string tag = site_.Get(kTaggedShares, "ope")->get_header_value("ETag");
  const std::string digest = tag.substr(tag.find('.'));
  for (const std::string& wrong :
       {std::string("a\tb"), std::string("\xff"), std::string(9999, 'a')}) {
    const auto answer =
        site_.Get(kTaggedShares, "ope", {{"If-None-Match", absl::StrCat("\"", wrong, digest)}});
    EXPECT_EQ(answer->status, 200);
  }
}

}  // namespace
}  // namespace priorityd::gateway
