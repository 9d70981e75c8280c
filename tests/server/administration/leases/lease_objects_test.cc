#include "server/administration/leases/lease_objects.h"

#include <gtest/gtest.h>

#include <string>

namespace priorityd::administration {
namespace {

TEST(LeaseObjectsTest, TheTextOfEveryKindOfObjectIsOfThatObject) {
  const ObjectKey keys[] = {
      {.kind = "association", .account = "chem"},
      {.kind = "association", .account = "chem", .partition = "main"},
      {.kind = "association", .account = "chem", .user = "ann"},
      {.kind = "association", .account = "a b", .user = "c d", .partition = "e f"},
      {.kind = "user", .user = "ann"},
      {.kind = "qos", .qos = "high"},
      {.kind = "partition", .partition = "main"},
      {.kind = "job", .job = "812_[1-3]"},
  };
  for (const ObjectKey& key : keys) EXPECT_EQ(ObjectOfText(TextOf(key)), key) << TextOf(key);
}

TEST(LeaseObjectsTest, OtherTextsAreOfNoObject) {
  for (const char* text :
       {"", "bogus", "account", "account ", "user ", "user  account chem", "qos ", "Account chem",
        "chem", "reservation r", "account chem partition "}) {
    EXPECT_FALSE(ObjectOfText(text).has_value()) << text;
  }
}

TEST(LeaseObjectsTest, ATextOfNoObjectIsRefusedWithItsField) {
  EXPECT_TRUE(CheckObjectTexts({"account chem", "job 7"}).ok());
  EXPECT_EQ(CheckObjectTexts({"account chem", "bogus"}).message(),
            "objects[1]: got \"bogus\", want \"account NAME\", \"user NAME\", "
            "\"user NAME account NAME\", \"qos NAME\", \"partition NAME\" or \"job ID\"");
}

}  // namespace
}  // namespace priorityd::administration
