#include "engine/slurm/words/closest_word.h"

#include <gtest/gtest.h>

namespace priorityd::slurm {
namespace {

TEST(ClosestWordTest, OneLetterInThreeMayBeWrongWhateverTheCase) {
  const std::vector<std::string> known = {"Account", "AdminLevel", "QOS"};
  EXPECT_EQ(ClosestWord("acount", known), "Account");
  EXPECT_EQ(ClosestWord("ACCUONT", known), "Account");
  EXPECT_EQ(ClosestWord("qso", known), "QOS");
  EXPECT_EQ(ClosestWord("Adminlvl", known), "AdminLevel");
  EXPECT_EQ(ClosestWord("amount1", known), "");
  EXPECT_EQ(ClosestWord("nonsense", known), "");
}

TEST(ClosestWordTest, ShortAndVeryLongWordsHaveNoClosestWord) {
  EXPECT_EQ(ClosestWord("qo", {"qos"}), "");
  const std::string longest(64, 'a');
  EXPECT_EQ(ClosestWord(longest, {longest}), longest);
  EXPECT_EQ(ClosestWord(longest + "a", {longest}), "");
}

TEST(ClosestWordTest, OfEquallyCloseOnesTheFirstIsMeant) {
  EXPECT_EQ(ClosestWord("user", {"used", "uses"}), "used");
}

TEST(ClosestWordTest, AllWordsAreReportedBehindTheClosest) {
  EXPECT_EQ(WantOneOf("colour", {"color", "size"}),
            "; did you mean color? Want one of color, size");
  EXPECT_EQ(WantOneOf("weight", {"color", "size"}), ", want one of color, size");
}

}  // namespace
}  // namespace priorityd::slurm
