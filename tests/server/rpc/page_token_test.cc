#include "server/rpc/page_token.h"

#include <gtest/gtest.h>

#include "priority/v1/share.pb.h"
#include "server/errors/error_details.h"

namespace priorityd::rpc {
namespace {

struct Place {
  int64_t list = 0;
  int64_t position = 0;

  bool IsValid() const { return position >= 0; }
};

::priority::v1::ListSharesRequest RequestOf(const std::string& user, const std::string& token) {
  ::priority::v1::ListSharesRequest request;
  request.add_users(user);
  request.set_page_token(token);
  return request;
}

PageTokens<Place> TokensOf(const std::string& user, const std::string& token = "") {
  return {"c", RequestOf(user, token)};
}

TEST(PageTokenTest, WhatWasEncodedComesBack) {
  for (const uint64_t fingerprint : {uint64_t{5}, uint64_t{18446744073709551615u}}) {
    const auto place = DecodePageToken(EncodePageToken({7, 1'000'000}, fingerprint), fingerprint);
    ASSERT_TRUE(place.has_value());
    EXPECT_EQ((*place)[0], 7);
    EXPECT_EQ((*place)[1], 1'000'000);
  }
}

TEST(PageTokenTest, AnythingElseIsRefused) {
  for (const char* text : {"", "x", "!!", "NyAx", "NyAxIDY"}) {  // "7 1", "7 1 6"
    EXPECT_FALSE(DecodePageToken(text, 5).has_value()) << text;
  }
  EXPECT_TRUE(DecodePageToken("NyAtMSA1", 5).has_value());  // "7 -1 5"
}

TEST(PageTokenTest, WithoutATokenTheListBeginsAtItsBeginning) {
  const auto given = TokensOf("ann").Given();
  ASSERT_TRUE(given.ok());
  EXPECT_FALSE(given->has_value());
}

TEST(PageTokenTest, ATokenContinuesItsOwnRequestWhateverThePageSize) {
  const std::string token = TokensOf("ann").Next({3, 20});
  auto request = RequestOf("ann", token);
  request.set_page_size(17);
  const auto given = PageTokens<Place>("c", request).Given();
  ASSERT_TRUE(given.ok() && given->has_value());
  EXPECT_EQ((*given)->list, 3);
  EXPECT_EQ((*given)->position, 20);
}

TEST(PageTokenTest, ATokenOfAnotherRequestOrOfNoPlaceIsInvalid) {
  const std::string token = TokensOf("ann").Next({3, 20});
  const std::string nowhere = TokensOf("ann").Next({3, -1});
  for (const auto& tokens : {TokensOf("bob", token), TokensOf("ann", nowhere), TokensOf("ann", "x"),
                             PageTokens<Place>("d", RequestOf("ann", token))}) {
    EXPECT_EQ(errors::ReasonOf(tokens.Given().status()), "INVALID_PAGE_TOKEN");
  }
}

TEST(PageTokenTest, APageIsAsLargeAsWantedUpToTheMost) {
  EXPECT_EQ(PageSizeOf(0, 10, 100), 10);
  EXPECT_EQ(PageSizeOf(7, 10, 100), 7);
  EXPECT_EQ(PageSizeOf(101, 10, 100), 100);
}

}  // namespace
}  // namespace priorityd::rpc
