#include "client/prioctl/slurm/sshare.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/read_captured.h"
#include "tests/oracle/captured_tree.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::AssociationShare;
using ::priority::v1::ListSharesResponse;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A row as the service would answer it, had it computed what Slurm did.
AssociationShare ShareOf(const priority::Association& association,
                         const std::string& parent_account, const CapturedShare& captured) {
  AssociationShare share;
  share.set_association_id(association.id);
  share.set_account(association.account);
  share.set_user(association.user);
  share.set_partition(association.partition);
  share.set_parent_account(parent_account);
  share.set_parent_shares(!association.raw_shares.has_value());
  if (association.raw_shares.has_value()) share.set_raw_shares(*association.raw_shares);
  share.set_norm_shares(captured.norm_shares.value_or(0));
  share.set_raw_usage(captured.raw_usage.value_or(0));
  share.set_norm_usage(captured.norm_usage.value_or(1));
  share.set_effective_usage(captured.effective_usage.value_or(0));
  if (captured.fair_share.has_value()) share.set_fair_share(*captured.fair_share);
  const bool parent_user = share.parent_shares() && !association.user.empty();
  const bool infinite = captured.level_fs.has_value() && std::isinf(*captured.level_fs);
  share.set_level_fs_infinite(infinite || parent_user);
  if (captured.level_fs.has_value() && !infinite) share.set_level_fs(*captured.level_fs);
  return share;
}

// Appends a node and what is below it in sshare's order: users, then accounts.
void AppendBelow(const std::vector<priority::Association>& all, const priority::Association& node,
                 const std::string& parent_account, const std::map<int64_t, CapturedShare>& shares,
                 ListSharesResponse& response) {
  *response.add_shares() = ShareOf(node, parent_account, shares.at(node.id));
  std::vector<const priority::Association*> below;
  for (const priority::Association& association : all) {
    if (association.parent_id == node.id) below.push_back(&association);
  }
  std::stable_sort(below.begin(), below.end(),
                   [](const priority::Association* a, const priority::Association* b) {
                     if (a->user.empty() != b->user.empty()) return b->user.empty();
                     return a->user.empty() ? a->account < b->account : a->user < b->user;
                   });
  for (const priority::Association* child : below)
    AppendBelow(all, *child, node.account, shares, response);
}

ListSharesResponse CapturedResponse(const std::string& tree, const std::string& mode) {
  const CapturedTree captured = ReadCapturedTrees().at(tree);
  ListSharesResponse response;
  response.set_fair_share_algorithm(mode == "fairtree" ? "fair_tree" : "classic");
  response.mutable_snapshot()->set_cluster("orc");
  for (const priority::Association& association : captured.associations) {
    if (association.parent_id != 0) continue;
    AppendBelow(captured.associations, association, "", ReadCapturedShares(mode).at(tree),
                response);
  }
  return response;
}

std::string Print(const ListSharesResponse& response, const SshareOptions& options,
                  const std::string& user = "ann") {
  std::ostringstream out;
  const absl::Status status = PrintShares(response, options, user, out);
  EXPECT_TRUE(status.ok()) << status;
  return out.str();
}

class CapturedTest : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(CapturedTest, LongParsableOutputIsSlurmsByteForByte) {
  const auto& [tree, mode] = GetParam();
  const std::string captured = ReadCaptured(absl::StrCat(tree, ".", mode, ".sshare"));
  ASSERT_THAT(captured, HasSubstr("root"));
  EXPECT_EQ(Print(CapturedResponse(tree, mode),
                  {.all = true, .long_listing = true, .layout = SlurmLayout::kParsable2}),
            captured);
}

INSTANTIATE_TEST_SUITE_P(
    Captured, CapturedTest,
    ::testing::Combine(::testing::Values("account_usage", "parent_mix", "parent_users",
                                         "partition_assocs", "root_users", "single_user_nousage",
                                         "stress04", "tie_accounts", "tiny_usage", "zero_shares"),
                       ::testing::Values("fairtree", "classic_d5", "depthobl")),
    [](const auto& info) {
      return absl::StrCat(std::get<0>(info.param), "_", std::get<1>(info.param));
    });

TEST(SshareTest, ANameForgesNoLineAndDrivesNoTerminal) {
  ListSharesResponse response = CapturedResponse("partition_assocs", "fairtree");
  response.mutable_shares(2)->set_user("bob\n\x1b[2Jeve");
  const std::string text = Print(response, {.all = true, .layout = SlurmLayout::kParsable2});
  EXPECT_THAT(text, HasSubstr("|bob\\n\\x1b[2Jeve|"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(SshareTest, FixedWidthIsAlignedAndShortensLongText) {
  ListSharesResponse response = CapturedResponse("partition_assocs", "fairtree");
  response.mutable_shares(2)->set_user("bartholomew");
  response.mutable_shares(2)->set_level_fs(25000.5);
  const std::vector<std::string> lines =
      absl::StrSplit(Print(response, {.all = true, .long_listing = true}), '\n');
  EXPECT_EQ(lines[0],
            "Account                    User  RawShares  NormShares    RawUsage   NormUsage  "
            "EffectvUsage  FairShare    LevelFS                    GrpTRESMins              "
            "      TRESRunMins ");
  EXPECT_EQ(lines[1],
            "-------------------- ---------- ---------- ----------- ----------- ----------- "
            "------------- ---------- ---------- ------------------------------ "
            "------------------------------ ");
  EXPECT_EQ(lines[4],
            "  a                  bartholom+          1    0.125000         100    0.317460  "
            "    0.400000   0.142857 2.5000e+04                                "
            "cpu=0,mem=0,energy=0,node=0,b+ ");
}

TEST(SshareTest, ParsableEndsEveryFieldWithABar) {
  const std::string text = Print(CapturedResponse("single_user_nousage", "fairtree"),
                                 {.all = true, .layout = SlurmLayout::kParsable});
  EXPECT_EQ(text,
            "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare|\n"
            "root|||0.000000|0|1.000000||\n"
            " a||1|1.000000|0|0.000000||\n"
            "  a|u|1|1.000000|0|0.000000|1.000000|\n");
}

TEST(SshareTest, PartitionStandsAfterTheUser) {
  const std::string text =
      Print(CapturedResponse("partition_assocs", "fairtree"),
            {.all = true, .partitions = true, .layout = SlurmLayout::kParsable2});
  EXPECT_THAT(text, HasSubstr("Account|User|Partition|RawShares|"));
  EXPECT_THAT(text, HasSubstr("\n  a|ann|main|2|"));
}

TEST(SshareTest, OnlyWhereNoAccountIsShownAreUsersAskedFor) {
  EXPECT_THAT(SharesRequest({}, "ann").users(), IsEmpty());
  EXPECT_THAT(SharesRequest({.users_only = true}, "ann").users(), ElementsAre("ann"));
  EXPECT_THAT(SharesRequest({.all = true, .users_only = true}, "ann").users(), IsEmpty());
  EXPECT_THAT(SharesRequest({.users_only = true, .users = {"bob", "cat"}}, "ann").users(),
              ElementsAre("bob", "cat"));
}

TEST(SshareTest, WithoutAllEveryAccountIsShownAndOfTheUsersTheCallingOne) {
  const std::string text =
      Print(CapturedResponse("partition_assocs", "fairtree"),
            {.format = "Account,User", .header = false, .layout = SlurmLayout::kParsable2}, "cat");
  EXPECT_EQ(text, "root|\n a|\n b|\n  b|cat\n");
}

TEST(SshareTest, ANamedAccountIsShownWithTheCallingUserOnly) {
  const SshareOptions options = {.accounts = {"a"}, .layout = SlurmLayout::kParsable2};
  EXPECT_THAT(SharesRequest(options, "bob").users(), IsEmpty());
  EXPECT_THAT(SharesRequest(options, "bob").accounts(), ElementsAre("a"));
  ListSharesResponse response = CapturedResponse("partition_assocs", "fairtree");
  response.mutable_shares()->DeleteSubrange(6, 4);  // The service leaves b out,
  response.mutable_shares()->DeleteSubrange(0, 1);  // and root.
  const std::vector<std::string> lines = absl::StrSplit(Print(response, options, "bob"), '\n');
  ASSERT_EQ(lines.size(), 4);
  EXPECT_THAT(lines[1], HasSubstr("a||5|0.625000|250|"));
  EXPECT_THAT(lines[2], HasSubstr(" a|bob|1|0.125000|90|"));
}

TEST(SshareTest, UsersOnlyLeavesAccountsOutAndIndentsNothing) {
  const std::string text =
      Print(CapturedResponse("partition_assocs", "fairtree"),
            {.users_only = true, .users = {"cat"}, .layout = SlurmLayout::kParsable2});
  EXPECT_EQ(text,
            "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n"
            "b|cat|1|0.333333|55|0.846154|0.714286\n");
}

TEST(SshareTest, FormatPicksFieldsByTheirBeginningAndSetsWidths) {
  const ListSharesResponse response = CapturedResponse("partition_assocs", "fairtree");
  EXPECT_THAT(Print(response, {.all = true, .format = "acc%-8,USER%4,RawU%6"}),
              HasSubstr("\n  a       ann    100 \n"));
  std::ostringstream out;
  EXPECT_THAT(std::string(PrintShares(response, {.format = "Account,Colour"}, "", out).message()),
              HasSubstr("\"Colour\""));
  EXPECT_THAT(std::string(PrintShares(response, {.format = "User%x"}, "", out).message()),
              HasSubstr("width \"x\""));
}

TEST(SshareTest, NoHeaderLeavesTheRowsAlone) {
  EXPECT_EQ(Print(CapturedResponse("single_user_nousage", "fairtree"),
                  {.all = true,
                   .format = "Account,User",
                   .header = false,
                   .layout = SlurmLayout::kParsable2}),
            "root|\n a|\n  a|u\n");
}

TEST(SshareTest, AUsageBeyond64BitsIsPrintedWhole) {
  ListSharesResponse response = CapturedResponse("single_user_nousage", "fairtree");
  response.mutable_shares(2)->set_raw_usage(3e19);
  EXPECT_THAT(
      Print(response, {.all = true, .format = "RawUsage", .layout = SlurmLayout::kParsable2}),
      HasSubstr("\n30000000000000000000\n"));
}

TEST(SshareTest, FullPrecisionPrintsWholeDoubles) {
  ListSharesResponse response = CapturedResponse("single_user_nousage", "fairtree");
  response.mutable_shares(2)->set_raw_usage(1.0 / 3);
  response.mutable_shares(2)->set_norm_usage(0.1);
  EXPECT_THAT(Print(response, {.all = true,
                               .format = "RawUsage,NormUsage,LevelFS",
                               .layout = SlurmLayout::kParsable2,
                               .full_precision = true}),
              HasSubstr("0.33333333333333331|0.10000000000000001|inf\n"));
}

TEST(SshareTest, LimitsStandInSlurmsOrder) {
  ListSharesResponse response = CapturedResponse("single_user_nousage", "fairtree");
  auto& limits = *response.mutable_shares(1)->mutable_grp_tres_mins();
  limits["gres/gpu"] = 5;
  limits["billing"] = 100;
  limits["cpu"] = 7;
  EXPECT_THAT(
      Print(response, {.all = true, .format = "GrpTRESMins", .layout = SlurmLayout::kParsable2}),
      HasSubstr("\ncpu=7,billing=100,gres/gpu=5\n"));
}

}  // namespace
}  // namespace priorityd::prioctl
