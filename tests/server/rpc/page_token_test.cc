#include "server/rpc/page_token.h"

#include <gtest/gtest.h>

namespace priorityd::rpc {
namespace {

TEST(PageTokenTest, WhatWasEncodedComesBack) {
  const auto token = DecodePageToken(Encode({7, 1'000'000, 18446744073709551615u}));
  ASSERT_TRUE(token.has_value());
  EXPECT_EQ(token->generation, 7);
  EXPECT_EQ(token->position, 1'000'000);
  EXPECT_EQ(token->fingerprint, 18446744073709551615u);
}

TEST(PageTokenTest, AnythingElseIsRefused) {
  for (const char* text : {"", "x", "!!", "NyAx", "NyAtMSA1"}) {  // "7 1", "7 -1 5"
    EXPECT_FALSE(DecodePageToken(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace priorityd::rpc
