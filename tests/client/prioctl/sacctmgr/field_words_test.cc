#include "client/prioctl/sacctmgr/field_words.h"

#include "gtest/gtest.h"

namespace priorityd::sacctmgr {
namespace {

TEST(FieldWordsTest, FieldsWithAPlaceAreTheWordsThatAreTyped) {
  EXPECT_EQ(FieldsInWords("associations[0].account: a; associations[12].parent_account: b"),
            "account: a; parent: b");
  EXPECT_EQ(FieldsInWords("where.admin_levels[0]: got \"king\""), "adminlevel: got \"king\"");
  EXPECT_EQ(FieldsInWords("where.names[0]: x"), "user: x");
  EXPECT_EQ(FieldsInWords("names[3]: x"), "name: x");
}

TEST(FieldWordsTest, EverythingElseStays) {
  for (const char* text : {"", "where: got a filter that matches no association",
                           "associations[0]: got two", "associations[", "got \"names\""}) {
    EXPECT_EQ(FieldsInWords(text), text);
  }
}

}  // namespace
}  // namespace priorityd::sacctmgr
