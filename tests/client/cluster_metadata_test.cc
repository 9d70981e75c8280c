#include "client/cluster_metadata.h"

#include <gtest/gtest.h>

namespace priorityd::client {
namespace {

// RFC 3986: what is not unreserved is percent-encoded.
TEST(ClusterMetadataTest, NamesBecomeWordsOfAscii) {
  EXPECT_EQ(ClusterValue("orc-1.example_~"), "orc-1.example_~");
  EXPECT_EQ(ClusterValue("a b"), "a%20b");
  EXPECT_EQ(ClusterValue("100%"), "100%25");
  EXPECT_EQ(ClusterValue("Zo\xc3\xab"), "Zo%C3%AB");
}

}  // namespace
}  // namespace priorityd::client
