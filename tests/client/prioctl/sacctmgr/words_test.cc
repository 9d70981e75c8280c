#include "client/prioctl/sacctmgr/words.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace priorityd::sacctmgr {
namespace {

using ::testing::ElementsAre;

namespace v1 = ::priority::v1;

TEST(WordsTest, ASignSaysHowAListChanges) {
  EXPECT_EQ(ReadWord("qos+=high,low").op, v1::SETTING_OPERATOR_ADD);
  EXPECT_EQ(ReadWord("qos-=high").op, v1::SETTING_OPERATOR_REMOVE);
  EXPECT_EQ(ReadWord("QOS+=high,low").name, "QOS");
  EXPECT_EQ(ReadWord("qos=-high").value, "-high");
  EXPECT_EQ(ReadWord("grptresmins=cpu=10,mem=5").value, "cpu=10,mem=5");
  EXPECT_FALSE(ReadWord("chem").has_value);
}

TEST(WordsTest, QuotesAroundAValueGo) {
  EXPECT_EQ(ReadWord("description=\"chem dep\"").value, "chem dep");
  EXPECT_EQ(ReadWord("description='it\"s'").value, "it\"s");
  EXPECT_EQ(ReadWord("description=it's").value, "it's");
}

TEST(WordsTest, AWordMayBeCutShortToItsLeastLetters) {
  EXPECT_TRUE(IsShortFor("acc", "Account", 3));
  EXPECT_TRUE(IsShortFor("ACCOUNT", "Account", 3));
  EXPECT_FALSE(IsShortFor("ac", "Account", 3));
  EXPECT_FALSE(IsShortFor("accounts", "Account", 3));
  EXPECT_FALSE(IsShortFor("", "Account", 0));
}

TEST(WordsTest, NamesAreDividedByCommasOutsideOfQuotes) {
  EXPECT_THAT(SplitNames("ann,bob,,cat,"), ElementsAre("ann", "bob", "cat"));
  EXPECT_THAT(SplitNames("'x,y',ann"), ElementsAre("x,y", "ann"));
  EXPECT_THAT(SplitNames(""), ElementsAre(""));
  EXPECT_THAT(SplitNames("o'neil"), ElementsAre("o'neil"));
}

TEST(WordsTest, ALineIsCutAtBlanksOutsideOfQuotes) {
  EXPECT_THAT(*SplitLine("  add account chem description=\"chem dep\" "),
              ElementsAre("add", "account", "chem", "description=chem dep"));
  EXPECT_THAT(*SplitLine(""), ElementsAre());
  EXPECT_FALSE(SplitLine("show user \"ann").ok());
}

}  // namespace
}  // namespace priorityd::sacctmgr
