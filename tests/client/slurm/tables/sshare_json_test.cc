#include "client/slurm/tables/sshare_json.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::tables {
namespace {

using ::testing::HasSubstr;

// As Slurm 24.11 (type in a list) and 25.11 (type as text) print a row.
std::string ShareRow(const std::string& name, const std::string& parent, const std::string& usage,
                     const std::string& type) {
  return absl::StrCat(R"({"id": 7, "cluster": "orc", "name": ")", name, R"(", "parent": ")", parent,
                      R"(", "partition": "", "shares_normalized": {"set": true, "infinite": false,
                      "number": 0.5}, "usage": )",
                      usage, R"(, "fairshare": {"factor": {"set": false, "infinite": true,
                      "number": 0}}, "type": )",
                      type, "}");
}

absl::StatusOr<std::string> ShareTable(const std::vector<std::string>& rows) {
  return SshareTableOfJson("s.json",
                           absl::StrCat(R"({"shares": {"shares": [)", absl::StrJoin(rows, ","),
                                        R"(], "total_shares": 3}, "errors": []})"));
}

TEST(SshareJsonTest, BecomesTheTableOfSshareP) {
  const auto table = ShareTable({ShareRow("root", "", "1000", R"(["ASSOCIATION"])"),
                                 ShareRow("chem", "root", "900", R"("ASSOCIATION")"),
                                 ShareRow("ann", "chem", "700", R"(["USER"])"),
                                 ShareRow("bob", "root", "50.5", R"("USER")")});
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(*table,
            "Account|User|Partition|RawUsage|Cluster\n"
            "root|||1000|orc\n"
            " chem|||900|orc\n"
            "  chem|ann||700|orc\n"
            " root|bob||50.5|orc\n");
}

TEST(SshareJsonTest, FaultsAreNamedByRow) {
  const auto why = [](const std::vector<std::string>& rows) {
    return std::string(ShareTable(rows).status().message());
  };
  const std::string root = ShareRow("root", "", "1", R"(["ASSOCIATION"])");
  EXPECT_EQ(why({root, ShareRow("", "root", "1", R"(["USER"])")}),
            "s.json shares[1]: name: got \"\", want a name");
  EXPECT_EQ(why({root, ShareRow("ann", "root", R"("many")", R"(["USER"])")}),
            "s.json shares[1]: usage: want a number");
  EXPECT_EQ(why({root, ShareRow("ann", "gone", "1", R"(["USER"])")}),
            "s.json shares[1]: parent: got \"gone\", want an account before");
  EXPECT_THAT(why({root, ShareRow("a|n", "root", "1", R"(["USER"])")}),
              HasSubstr("got | or a line"));
  EXPECT_THAT(std::string(SshareTableOfJson("s.json", "{\"jobs\": []}").status().message()),
              HasSubstr("got no JSON document with a list `shares.shares`"));
}

}  // namespace
}  // namespace priorityd::tables
