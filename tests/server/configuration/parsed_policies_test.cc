#include "server/configuration/parsed_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/configuration/stored_policy.h"
#include "tests/server/logging/captured_log.h"

namespace priorityd::configuration {
namespace {

using ::testing::HasSubstr;

using Files = std::vector<storage::PolicyFile>;

Files Weighing(int age) {
  return {{"slurm.conf",
           "PriorityType=priority/multifactor\nPriorityWeightAge=" + std::to_string(age) + "\n"}};
}

TEST(ParsedPoliciesTest, OneTextIsParsedOnce) {
  ParsedPolicies policies(2);
  const auto first = policies.Parse(Weighing(7));
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)->policy.weight_age, 7u);
  EXPECT_EQ(*policies.Parse(Weighing(7)), *first);
}

TEST(ParsedPoliciesTest, AnotherTextIsAnotherPolicy) {
  ParsedPolicies policies(2);
  const auto first = *policies.Parse(Weighing(7));
  EXPECT_EQ((*policies.Parse(Weighing(8)))->policy.weight_age, 8u);
  Files renamed = Weighing(7);
  renamed[0].name = "other.conf";
  EXPECT_NE(*policies.Parse(renamed), first);
}

TEST(ParsedPoliciesTest, ThoseUsedLastAreKept) {
  ParsedPolicies policies(2);
  const auto first = *policies.Parse(Weighing(1));
  const auto second = *policies.Parse(Weighing(2));
  EXPECT_EQ(*policies.Parse(Weighing(1)), first);
  ASSERT_TRUE(policies.Parse(Weighing(3)).ok());
  EXPECT_EQ(*policies.Parse(Weighing(1)), first);
  EXPECT_NE(*policies.Parse(Weighing(2)), second);
}

TEST(ParsedPoliciesTest, LinesWithoutEffectAreLoggedOnceForEachText) {
  ParsedPolicies policies(1);
  const auto ticket_based = [](const std::string& name) {
    return Files{{name, "PriorityType=priority/multifactor\nPriorityFlags=TICKET_BASED\n"}};
  };
  logging::CapturedLog log(false);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(policies.Parse(ticket_based("a.conf")).ok());
    ASSERT_TRUE(policies.Parse(ticket_based("b.conf")).ok());
  }
  const std::vector<std::string> lines = log.Take();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("a.conf line 2"));
  EXPECT_THAT(lines[1], HasSubstr("b.conf line 2"));
}

TEST(ParsedPoliciesTest, AnErrorIsReportedEachTime) {
  ParsedPolicies policies(2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(policies.Parse({{"slurm.conf", "Include missing.conf\n"}}).ok());
  }
}

TEST(ParsedPoliciesTest, AStoredVersionIsParsedOnceInAProcess) {
  storage::PolicyVersion version;
  version.version = 3;
  version.files = Weighing(4711);
  const auto first = ParseStored(version);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*ParseStored(version), *first);
}

}  // namespace
}  // namespace priorityd::configuration
