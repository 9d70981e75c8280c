#include "client/prioctl/input/free_text.h"

#include <gtest/gtest.h>

namespace priorityd::prioctl {
namespace {

TEST(FreeTextTest, CommentsAndDescriptionsAreReadAsLatin1) {
  EXPECT_EQ(WithFreeTextAsUtf8("ClusterName=q\n# Gr\xf6\xdf"
                               "e\nPriorityWeightAge=1 # \xe4\r\n"),
            "ClusterName=q\n# Gr\xc3\xb6\xc3\x9f"
            "e\nPriorityWeightAge=1 # \xc3\xa4\r\n");
  EXPECT_EQ(
      WithFreeTextAsUtf8("NodeName=n1 reason=\"gr\xf6 x\" CPUs=1\nNodeName=n2 Reason=\xf6 CPUs=2"),
      "NodeName=n1 reason=\"gr\xc3\xb6 x\" CPUs=1\nNodeName=n2 Reason=\xc3\xb6 CPUs=2");
  EXPECT_EQ(
      WithFreeTextAsUtf8("Account - 'a':Description='gr\xf6:x':Organization='\xe9':Fairshare=1\n"),
      "Account - 'a':Description='gr\xc3\xb6:x':Organization='\xc3\xa9':Fairshare=1\n");
}

TEST(FreeTextTest, NamesStayAsTheyAre) {
  for (const char* text :
       {"Account - '\xf6':Description='a'\n", "PartitionName=\xf6\n", "Account - 'a#\xf6'\n",
        "User - 'm #\xfc':Fairshare=1\n", "NodeName=\"a #\xfc\" CPUs=1\n",
        "Description=a Account=\xf6\n", "Description='a':Account=\xf6\n", "MyReasons=\xf6\n"}) {
    EXPECT_EQ(WithFreeTextAsUtf8(text), text);
  }
}

TEST(FreeTextTest, Utf8StaysAsItIs) {
  for (const char* text : {"",
                           "# Gr\xc3\xb6\xc3\x9f"
                           "e\nDescription='\xe2\x82\xac'",
                           "a\n\nb"}) {
    EXPECT_EQ(WithFreeTextAsUtf8(text), text);
  }
  EXPECT_EQ(WithFreeTextAsUtf8("# \xc3\xb6\n# \xf6\n"), "# \xc3\xb6\n# \xc3\xb6\n");
}

}  // namespace
}  // namespace priorityd::prioctl
