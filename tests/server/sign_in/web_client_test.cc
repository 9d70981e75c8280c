#include "server/sign_in/web_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"

namespace priorityd::sign_in {
namespace {

using ::testing::HasSubstr;

// Another program's HTTP server.
class WebClientTest : public testing::Test {
 protected:
  WebClientTest() {
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~WebClientTest() override {
    server_.stop();
    thread_.join();
  }

  std::string Url(const std::string& path) const {
    return absl::StrCat("http://127.0.0.1:", port_, path);
  }

  httplib::Server server_;
  int port_ = 0;
  std::thread thread_;
};

TEST_F(WebClientTest, AFormIsPostedWithTheCredentials) {
  server_.Post("/token", [](const httplib::Request& request, httplib::Response& response) {
    response.set_content(request.get_header_value("Authorization") + "\n" + request.body,
                         "text/plain");
  });
  const auto answer = WebClient("").Ask({.url = Url("/token"),
                                         .form = {{"a b", "c&d"}, {"e", "\xc3\xa9"}},
                                         .name = "n",
                                         .password = "p"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->status, 200);
  // RFC 7617: base64 of `n:p`.
  EXPECT_EQ(answer->body, "Basic bjpw\na%20b=c%26d&e=%C3%A9");
}

TEST_F(WebClientTest, AnAnswerOfMoreThanItsBoundIsRefused) {
  server_.Get("/whole", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(std::string(kMostAnswerBytes, 'a'), "text/plain");
  });
  server_.Get("/huge", [](const httplib::Request&, httplib::Response& response) {
    response.set_content(std::string(kMostAnswerBytes + 1, 'a'), "text/plain");
  });
  const WebClient client("");
  EXPECT_EQ(client.Ask({.url = Url("/whole")})->body.size(), kMostAnswerBytes);
  const auto huge = client.Ask({.url = Url("/huge")});
  EXPECT_TRUE(absl::IsUnavailable(huge.status()));
  EXPECT_THAT(std::string(huge.status().message()), HasSubstr("want an answer of at most 65536"));
}

TEST_F(WebClientTest, ARedirectIsNotFollowed) {
  bool was_followed = false;
  server_.Get("/here", [](const httplib::Request&, httplib::Response& response) {
    response.set_redirect("/there");
  });
  server_.Get("/there", [&](const httplib::Request&, httplib::Response&) { was_followed = true; });
  EXPECT_EQ(WebClient("").Ask({.url = Url("/here")})->status, 302);
  EXPECT_FALSE(was_followed);
}

TEST_F(WebClientTest, AServerThatDoesNotFinishIsGivenUp) {
  server_.Get("/slow", [this](const httplib::Request&, httplib::Response& response) {
    response.set_chunked_content_provider("text/plain", [this](size_t, httplib::DataSink& sink) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      sink.write("a", 1);
      return server_.is_running();
    });
  });
  const absl::Time begin = absl::Now();
  EXPECT_TRUE(absl::IsUnavailable(WebClient("").Ask({.url = Url("/slow")}).status()));
  EXPECT_GE(absl::Now() - begin, kMostAnswerTime - absl::Milliseconds(100));
  EXPECT_LT(absl::Now() - begin, 10 * kMostAnswerTime);
}

TEST_F(WebClientTest, FilesAreNoAnswers) {
  EXPECT_FALSE(WebClient("").Ask({.url = "file:///etc/passwd"}).ok());
}

TEST(WebTextsTest, AQueryHasTheFirstValueOfAName) {
  EXPECT_EQ(ValueIn("code=a%2Bb&state=c", "code"), "a+b");
  EXPECT_EQ(ValueIn("code=a&code=b", "code"), "a");
  EXPECT_EQ(ValueIn("xcode=a&codex=b", "code"), "");
  EXPECT_EQ(ValueIn("", "code"), "");
  EXPECT_EQ(ValueIn("code=&state=c", "code"), "") << "an empty value has no other one's text";
}

TEST(WebTextsTest, AUrlIsOfTlsOrOfThisHost) {
  for (const char* url : {"https://login.example.org", "https://login.example.org:8443/realms/a/",
                          "http://127.0.0.1:7412/", "http://localhost/", "http://[::1]:80/"}) {
    EXPECT_TRUE(CheckUrl(url).ok()) << url;
  }
  for (const char* url :
       {"", "login", "http://login.example.org/", "ftp://login.example.org/", "https://",
        "https://ann@login.example.org/", "https://login.example.org/?a=b",
        "https://login.example.org/#a", "http://127.0.0.1.example.org/", "javascript:alert(1)"}) {
    EXPECT_FALSE(CheckUrl(url).ok()) << url;
  }
}

}  // namespace
}  // namespace priorityd::sign_in
