#include "engine/slurm/words/hostlist.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace priorityd::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> Expanded(absl::string_view expression) {
  absl::StatusOr<std::vector<std::string>> hosts = ExpandHostlist(expression);
  EXPECT_TRUE(hosts.ok()) << expression << ": " << hosts.status();
  if (!hosts.ok()) return {};
  EXPECT_EQ(CountHosts(expression).value(), static_cast<int64_t>(hosts->size())) << expression;
  return *std::move(hosts);
}

TEST(HostlistTest, PlainNamesStandForThemselves) {
  EXPECT_THAT(Expanded("login"), ElementsAre("login"));
  EXPECT_THAT(Expanded("a,b-1.site,c"), ElementsAre("a", "b-1.site", "c"));
  EXPECT_THAT(Expanded(""), ElementsAre());
}

TEST(HostlistTest, ARangeKeepsTheWidthOfItsLowerEnd) {
  EXPECT_THAT(Expanded("n[8-11]"), ElementsAre("n8", "n9", "n10", "n11"));
  EXPECT_THAT(Expanded("n[08-10]"), ElementsAre("n08", "n09", "n10"));
  EXPECT_THAT(Expanded("n[098-101]x"), ElementsAre("n098x", "n099x", "n100x", "n101x"));
}

TEST(HostlistTest, BracketsMultiplyAndTheLastRunsFastest) {
  EXPECT_THAT(
      Expanded("c[01-02,20]n[1-3]"),
      ElementsAre("c01n1", "c01n2", "c01n3", "c02n1", "c02n2", "c02n3", "c20n1", "c20n2", "c20n3"));
  EXPECT_EQ(CountHosts("c[01-12,20]n[1-3]").value(), 39);
}

TEST(HostlistTest, ListsMixNamesAndBrackets) {
  EXPECT_THAT(Expanded("a[1,3],b,c[1-2][5-6],"),
              ElementsAre("a1", "a3", "b", "c15", "c16", "c25", "c26"));
}

TEST(HostlistTest, FaultsAreNamed) {
  const auto message = [](absl::string_view expression) {
    return std::string(ExpandHostlist(expression).status().message());
  };
  EXPECT_EQ(message("n[1-3"), "got \"n[1-3\", want a hostlist: a ] after every [");
  EXPECT_EQ(message("n1]"), "got \"n1]\", want a hostlist: a [ before every ]");
  EXPECT_EQ(message("n[3-1]"),
            "got \"n[3-1]\", want a hostlist: numbers and ascending ranges in brackets");
  EXPECT_THAT(message("n[]"), HasSubstr("numbers and ascending ranges"));
  EXPECT_THAT(message("n[a-b]"), HasSubstr("numbers and ascending ranges"));
  EXPECT_THAT(message("n[[1]]"), HasSubstr("numbers and ascending ranges"));
  EXPECT_THAT(message("n[1-99999999999999]"), HasSubstr("numbers and ascending ranges"));
  EXPECT_EQ(message("a b"), "got \"a b\", want a hostlist: no blanks and no control characters");
}

TEST(HostlistTest, AMillionHostsAreTheMost) {
  EXPECT_EQ(Expanded("n[1-1000000]").size(), 1'000'000u);
  EXPECT_EQ(CountHosts("n[1-1000001]").status().message(),
            "got \"n[1-1000001]\", want at most 1000000 hosts");
  EXPECT_FALSE(ExpandHostlist("n[1-1000000],x").ok());
  EXPECT_FALSE(ExpandHostlist("n[1-999999999999][1-999999999999][1-999999999999]").ok());
  EXPECT_FALSE(ExpandHostlist("n[0-999999999999,0-999999999999]").ok());
}

TEST(HostlistTest, NamesAreBounded) {
  EXPECT_TRUE(ExpandHostlist(std::string(255, 'x')).ok());
  EXPECT_FALSE(ExpandHostlist(std::string(256, 'x')).ok());
  std::string brackets;
  for (int i = 0; i < 200; ++i) brackets += "[10]";
  EXPECT_THAT(std::string(ExpandHostlist(brackets).status().message()),
              HasSubstr("names of at most 255 characters"));
}

}  // namespace
}  // namespace priorityd::slurm
