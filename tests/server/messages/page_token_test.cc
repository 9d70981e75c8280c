#include "server/messages/page_token.h"

#include <google/protobuf/wrappers.pb.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "engine/errors/error_details.h"
#include "priority/v1/share.pb.h"

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

// Continues after a row of that name.
struct NamedPlace {
  int64_t list = 0;
  int64_t position = 0;
  std::vector<std::string> texts;

  bool IsValid() const { return texts.size() == 1; }
};

PageTokens<Place> TokensOf(const std::string& user, const std::string& token = "") {
  return {"c", RequestOf(user, token)};
}

TEST(PageTokenTest, WhatWasEncodedComesBack) {
  for (const uint64_t fingerprint : {uint64_t{5}, uint64_t{18446744073709551615u}}) {
    for (const PagePlace& place : {PagePlace{{7, 1'000'000}, {}}, PagePlace{{-1, 0}, {""}},
                                   PagePlace{{0, 0}, {"3:x", std::string("a\0b ", 4), "2"}}}) {
      EXPECT_EQ(DecodePageToken(EncodePageToken(place, fingerprint), fingerprint), place);
    }
  }
}

TEST(PageTokenTest, AnythingElseIsRefused) {
  for (const char* text : {"", "x", "!!"}) EXPECT_FALSE(DecodePageToken(text, 5).has_value());
  for (const char* plain : {"7 1", "7 1 5", "7 1 6 ", "7 x 5 ", "7 1 5 1:", "7 1 5 2:a", "7 1 5 a",
                            "7 1 5 -1:a", "7 1 5 99999999999999999999:a"}) {
    EXPECT_FALSE(DecodePageToken(absl::WebSafeBase64Escape(plain), 5).has_value()) << plain;
  }
  EXPECT_TRUE(DecodePageToken(absl::WebSafeBase64Escape("7 -1 5 1:a"), 5).has_value());
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

TEST(PageTokenTest, APlaceMayHaveTexts) {
  const PageTokens<NamedPlace> tokens("c", RequestOf("ann", ""));
  const std::string token = tokens.Next({1, 2, {"job-1"}});
  const auto given = PageTokens<NamedPlace>("c", RequestOf("ann", token)).Given();
  ASSERT_TRUE(given.ok() && given->has_value());
  EXPECT_EQ((*given)->position, 2);
  EXPECT_EQ((*given)->texts, std::vector<std::string>{"job-1"});
  // Where there are none it is the token of something else.
  EXPECT_FALSE(PageTokens<Place>("c", RequestOf("ann", token)).Given().ok());
}

TEST(PageTokenTest, ATokenOfAnotherRequestOrOfNoPlaceIsInvalid) {
  const std::string token = TokensOf("ann").Next({3, 20});
  const std::string nowhere = TokensOf("ann").Next({3, -1});
  for (const auto& tokens : {TokensOf("bob", token), TokensOf("ann", nowhere), TokensOf("ann", "x"),
                             PageTokens<Place>("d", RequestOf("ann", token))}) {
    EXPECT_EQ(errors::ReasonOf(tokens.Given().status()), "INVALID_PAGE_TOKEN");
  }
}

// A replica of another build goes on with the tokens of this one. The numbers are those of the
// document of FNV-1a.
TEST(PageTokenTest, AFingerprintIsTheSameInEveryBuild) {
  EXPECT_EQ(Fingerprint(google::protobuf::BytesValue()), 0xcbf29ce484222325u);
  google::protobuf::BytesValue message;
  message.set_value("a");
  // The bytes 0a 01 61.
  uint64_t naive = 0xcbf29ce484222325u;
  for (const uint64_t byte : {0x0a, 0x01, 0x61}) naive = (naive ^ byte) * 1099511628211u;
  EXPECT_EQ(Fingerprint(message), naive);
}

TEST(PageTokenTest, APageIsAsLargeAsWantedUpToTheMost) {
  EXPECT_EQ(PageSizeOf(0, 10, 100), 10);
  EXPECT_EQ(PageSizeOf(7, 10, 100), 7);
  EXPECT_EQ(PageSizeOf(101, 10, 100), 100);
}

}  // namespace
}  // namespace priorityd::rpc
