// The forms in which a page of constant content is sent.
#include "server/gateway/kept_page.h"

#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace priorityd::gateway {
namespace {

http::Request Get(const std::map<std::string, std::string>& headers) {
  http::Request request;
  request.method = "GET";
  request.headers = headers;
  return request;
}

std::map<std::string, std::string> HeadersOf(const http::Response& response) {
  return {response.headers.begin(), response.headers.end()};
}

std::string Unpacked(const std::string& packed) {
  google::protobuf::io::ArrayInputStream source(packed.data(), static_cast<int>(packed.size()));
  google::protobuf::io::GzipInputStream stream(&source);
  std::string text;
  const void* part = nullptr;
  for (int size = 0; stream.Next(&part, &size);) {
    text.append(static_cast<const char*>(part), static_cast<size_t>(size));
  }
  return text;
}

class KeptPageTest : public testing::Test {
 protected:
  const std::string content_ = std::string(100'000, 'x') + "y";
  const http::Page page_ =
      KeptPage({.content_type = "text/html", .body = content_, .headers = {{"Vary", "Origin"}}});
};

TEST_F(KeptPageTest, AClientWithoutGzipGetsTheContent) {
  const http::Response response = page_(Get({}));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.content_type, "text/html");
  EXPECT_EQ(response.body, content_);
  EXPECT_EQ(HeadersOf(response).at("Vary"), "Origin");
  EXPECT_FALSE(HeadersOf(response).contains("Content-Encoding"));
}

TEST_F(KeptPageTest, AClientWithGzipGetsTheContentCompressed) {
  const http::Response response = page_(Get({{"accept-encoding", "gzip"}}));
  EXPECT_EQ(response.content_type, "text/html");
  EXPECT_EQ(HeadersOf(response).at("Content-Encoding"), "gzip");
  EXPECT_LT(response.body.size(), 1'000);
  EXPECT_EQ(Unpacked(response.body), content_);
}

TEST_F(KeptPageTest, BothFormsHaveTheTagOfTheContent) {
  const std::string tag = HeadersOf(page_(Get({}))).at("ETag");
  EXPECT_EQ(HeadersOf(page_(Get({{"accept-encoding", "gzip"}}))).at("ETag"), tag);
  const http::Page other = KeptPage({.body = content_ + "z", .headers = {}});
  EXPECT_NE(HeadersOf(other(Get({}))).at("ETag"), tag);
}

TEST_F(KeptPageTest, AClientThatHasTheTagGetsNoContent) {
  const std::string tag = HeadersOf(page_(Get({}))).at("ETag");
  const http::Response response = page_(Get({{"accept-encoding", "gzip"}, {"if-none-match", tag}}));
  EXPECT_EQ(response.status, 304);
  EXPECT_EQ(response.body, "");
}

}  // namespace
}  // namespace priorityd::gateway
