// The file of price books, grants, leases, merged users and aliases: what it means, and what is
// wrong in it.
#include "server/administration/imports/own_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "tests/times.h"

namespace priorityd::administration {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A line of each kind; the grant is of 120 hours.
constexpr char kOwnFile[] =
    "# of cluster orc\n"
    "Grant - 'chem-2026':Accounts='chem,bio':Begin='2026-10-01T00:00:00Z':TRES='cpu':"
    "Window='quarter':CarryOver='10%':Consequence='demote:low':Revoked='2026-12-01T00:00:00Z':"
    "ByCoordinator='yes'\n"
    "Amount - '432000':Effective='2026-10-01T00:00:00Z':By='root':Comment='call: \\'autumn\\''\n"
    "Amount - '0.000000000000000001':Effective='2026-11-01T00:00:00.5Z'\n"
    "\n"
    "Transfer - 'chem-2026':To='phys':TRESSeconds='60':Time='2026-10-02T08:00:00Z':By='root'\n"
    "Lease - 'association':Account='chem':User='ann':Begin='2026-12-14T09:12:00Z':"
    "End='2026-12-18T18:00:00Z':By='root'\n"
    "Setting - 'QOS':Operator='+=':Value='high'\n"
    "Setting - 'Fairshare':Operator='=':Value='1000'\n"
    "Merge - 'a.smith':Into='amy':Time='2026-11-02T10:00:00Z':By='root':Comment='one person'\n"
    "alias - 'ann@EXAMPLE.ORG':user='ann':source='k8s'\n"
    "PriceBook - 'academic':Currency='EUR':TimeZone='Europe/Berlin':Begin='2026-10-01T00:00:00Z':"
    "By='root':Comment='contract'\n"
    "price - 'cpu':hours='20-8':days='mon,tue':perhour='0.011'\n"
    "Price - 'cpu':PerHour='0.02':Partition='big'\n";

TEST(OwnObjectsTest, EachLineIsAnObjectOrAPartOfTheOneBefore) {
  const auto read = ReadOwnObjects({"own", kOwnFile});
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->grants.size(), 1u);
  const OwnGrant& grant = read->grants[0];
  EXPECT_EQ(grant.line, 2);
  EXPECT_EQ(grant.name, "chem-2026");
  EXPECT_THAT(grant.settings.accounts, ElementsAre("bio", "chem"));
  EXPECT_EQ(grant.settings.grant.carry_over, 100'000);
  EXPECT_EQ(grant.settings.demoted_qos, "low");
  EXPECT_EQ(grant.revoked_at, ParsedTime("2026-12-01T00:00:00Z"));
  EXPECT_TRUE(grant.by_coordinator);
  const storage::GrantVersion first = {.effective_at = ParsedTime("2026-10-01T00:00:00Z"),
                                       .amount = "432000",
                                       .changed_by = "root",
                                       .comment = "call: 'autumn'"};
  const storage::GrantVersion second = {.effective_at = ParsedTime("2026-11-01T00:00:00.5Z"),
                                        .amount = "0.000000000000000001"};
  EXPECT_THAT(grant.versions, ElementsAre(first, second));
  ASSERT_EQ(read->transfers.size(), 1u);
  EXPECT_EQ(read->transfers[0].from + ">" + read->transfers[0].to, "chem-2026>phys");
  EXPECT_EQ(read->transfers[0].transfer.amount, "60");
  ASSERT_EQ(read->leases.size(), 1u);
  EXPECT_EQ(read->leases[0].lease.object, "user ann account chem");
  EXPECT_THAT(read->leases[0].lease.setting_names, ElementsAre("QOS", "Fairshare"));
  EXPECT_THAT(read->leases[0].lease.setting_operators, ElementsAre("+=", "="));
  EXPECT_THAT(read->leases[0].lease.setting_values, ElementsAre("high", "1000"));
  ASSERT_EQ(read->merges.size(), 1u);
  EXPECT_EQ(read->merges[0].merge.into_user, "amy");
  ASSERT_EQ(read->price_books.size(), 1u);
  const storage::PriceBook prices = {
      .name = "academic",
      .begin_time = ParsedTime("2026-10-01T00:00:00Z"),
      .currency = "EUR",
      .time_zone = "Europe/Berlin",
      .rules = {"Price - 'cpu':PerHour='0.011':Hours='20-8':Days='mon,tue'",
                "Price - 'cpu':PerHour='0.02':Partition='big'"},
      .changed_by = "root",
      .comment = "contract"};
  EXPECT_EQ(read->price_books[0].book, prices);
  ASSERT_EQ(read->aliases.size(), 1u);
  EXPECT_EQ(read->aliases[0].alias,
            (storage::UserAlias{.source = "k8s", .alias = "ann@EXAMPLE.ORG", .user_name = "ann"}));
}

TEST(OwnObjectsTest, WhatIsWrittenReadsTheSame) {
  const auto read = ReadOwnObjects({"own", kOwnFile});
  ASSERT_TRUE(read.ok()) << read.status();
  const std::string text = WriteOwnObjects(*read);
  const auto again = ReadOwnObjects({"own", text});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(WriteOwnObjects(*again), text);
  EXPECT_EQ(again->grants[0].settings, read->grants[0].settings);
  EXPECT_EQ(again->grants[0].versions, read->grants[0].versions);
  EXPECT_TRUE(again->grants[0].by_coordinator);
  EXPECT_EQ(again->leases[0].lease, read->leases[0].lease);
  EXPECT_EQ(again->merges[0].merge, read->merges[0].merge);
  EXPECT_EQ(again->aliases[0].alias, read->aliases[0].alias);
}

// Lines, what is wrong about the last one.
TEST(OwnObjectsTest, AFaultNamesItsLineAndWhatItWants) {
  const std::string grant = "Grant - 'g':Accounts='a':Begin='2026-10-01T00:00:00Z'\n";
  const std::string amount = "Amount - '60':Effective='2026-10-01T00:00:00Z'\n";
  const std::string lease =
      "Lease - 'qos':QOS='q':Begin='2026-10-01T00:00:00Z':End='2026-10-02T00:00:00Z'\n";
  const std::string setting = "Setting - 'Priority':Operator='=':Value='1'\n";
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"Budget - 'b'\n", "line: got \"Budget\", want PriceBook, Price, Grant, Amount"},
      {"Grant\n", "got \"Grant\", want PriceBook, Price"},
      {"Alias - 'x':User='y':Since='now'\n", "options: got \"Since\", want User, Source"},
      {"Alias - 'x':User='x'\n", "User: got \"x\", want another name"},
      {"Alias - 'x':User='y'\nAlias - 'x':User='z'\n", "Alias: got \"x\", want each alias"},
      {"Alias - 'x'\n", "User: got none, want one"},
      {"Alias - 'x\r':User='y'\nAlias - 'x ':User='z'\n", "each alias of a source once"},
      {"Alias - 'x ':User='x\r'\n", "want another name"},
      {grant + amount + grant, "Grant: got \"g\", want each grant once"},
      {"Grant - 'g':Accounts='a':Begin='tomorrow'\n", "Begin: got \"tomorrow\", want a time as"},
      {"Grant - 'g':Begin='2026-10-01T00:00:00Z'\n", "Accounts: got 0 accounts"},
      {"Grant - 'g':Accounts='a':Begin='2026-10-01T00:00:00Z':Color='red'\n",
       "options: got \"Color\", want one of Accounts, User"},
      {"Grant - 'g':Accounts='a':Begin='2026-10-01T00:00:00Z':Amount='5'\n",
       "Amount: got one of the grant, want lines of it"},
      {grant, "Grant: got no Amount lines after it, want some"},
      {"Grant - 'g':Accounts='a':Begin='2026-10-01T00:00:00Z':ByCoordinator='no'\n",
       "ByCoordinator: got \"no\", want yes"},
      {amount, "got an Amount, want it after its Grant"},
      {grant + "Amount - '-1':Effective='2026-10-01T00:00:00Z'\n", "Amount: got \"-1\", want more"},
      {grant + amount + "Amount - '1':Effective='2026-09-01T00:00:00Z'\n",
       "Effective: got a time before that of the Amount above"},
      {grant + amount + "Alias - 'x':User='y'\n" + amount, "got an Amount, want it after its"},
      {"Transfer - 'g':To='g':TRESSeconds='1':Time='2026-10-01T00:00:00Z'\n",
       "To: got \"g\", want another grant"},
      {lease, "Lease: got no Setting lines after it, want some"},
      {setting, "got a Setting, want it after its Lease"},
      {lease + "Setting - 'Priority':Operator='*=':Value='1'\n", "Operator: got \"*=\", want =,"},
      {"Lease - 'qos':Account='a':Begin='2026-10-01T00:00:00Z':End='2026-10-02T00:00:00Z'\n",
       "Lease: got \"qos\", want association with Account"},
      {"Lease - 'qos':QOS='q':Begin='2026-10-02T00:00:00Z':End='2026-10-02T00:00:00Z'\n",
       "End: got a time that is not after Begin"},
      {"Merge - 'x':Into='x':Time='2026-10-01T00:00:00Z'\n", "Into: got \"x\", want another user"},
      {"Merge - 'x':Into='y':Time='1969-12-31T00:00:00Z'\n", "Time: got \"1969-12-31T00:00:00Z\""}};
  for (const auto& [text, fault] : faults) {
    const auto read = ReadOwnObjects({"own", text});
    ASSERT_FALSE(read.ok()) << text;
    const auto violations = errors::ViolationsOf(read.status());
    ASSERT_FALSE(violations.empty()) << text;
    EXPECT_EQ(errors::ReasonOf(read.status()), "INVALID_FILE");
    const auto lines = std::count(text.begin(), text.end(), '\n');
    bool found = false;
    for (const errors::FieldViolation& violation : violations) {
      found |= violation.description.find(fault) != std::string::npos &&
               violation.field == absl::StrCat("own line ", lines);
    }
    EXPECT_TRUE(found) << text << read.status();
  }
}

TEST(OwnObjectsTest, AFileOfNothingIsEmpty) {
  const auto read = ReadOwnObjects({"own", "# nothing\n"});
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->empty());
}

TEST(OwnObjectsTest, TooManyObjectsOfAKindEndTheReading) {
  std::string file;
  for (int i = 0; i <= 1000; ++i) {
    absl::StrAppend(&file, "Merge - 'u", i, "':Into='amy':Time='2026-11-02T10:00:00Z'\n");
  }
  const absl::Status status = ReadOwnObjects({"own", file}).status();
  EXPECT_EQ(errors::ViolationsOf(status),
            (std::vector<errors::FieldViolation>{
                {"own line 1001", "Merge: got more than 1000, want at most that"}}));
  EXPECT_TRUE(ReadOwnObjects({"own", file.substr(0, file.rfind("Merge"))}).ok());
}

TEST(OwnObjectsTest, AnAliasThatMisleadsIsReadWithItsFault) {
  const auto objects = ReadOwnObjects({"own",
                                       "Alias - 'a\xe2\x80\xae':User='amy':Source='s'\n"
                                       "Alias - 'b':User='amy':Source='s\x1b'\n"
                                       "Alias - 'caf\xc3\xa9':User='amy'\n"});
  ASSERT_TRUE(objects.ok()) << objects.status();
  ASSERT_EQ(objects->aliases.size(), 3);
  EXPECT_THAT(objects->aliases[0].fault, HasSubstr("alias: got a name with the character U+202E"));
  EXPECT_THAT(objects->aliases[1].fault, HasSubstr("source: got a name with the character U+001B"));
  EXPECT_EQ(objects->aliases[2].fault, "");
}

TEST(OwnObjectsTest, LinesAfterAFaultAreStillRead) {
  const absl::Status status =
      ReadOwnObjects({"own",
                      "Merge - 'x'\nMerge - 'y':Into='amy':Time='2026-11-02T10:00:00Z'\n"
                      "Lease - 'qos':QOS='a':Begin='2026-12-14T09:12:00Z':"
                      "End='2026-12-18T18:00:00Z'\nSetting - 'Priority':Operator='?':Value='1'\n"
                      "Alias - 'a':User='a'\n"})
          .status();
  std::vector<std::string> places;
  for (const auto& fault : errors::ViolationsOf(status)) places.push_back(fault.field);
  EXPECT_THAT(places, ElementsAre("own line 1", "own line 1", "own line 4", "own line 5"));
}

}  // namespace
}  // namespace priorityd::administration
