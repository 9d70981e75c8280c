#include "server/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "tests/await.h"
#include "tests/server/http/served_paths.h"
#include "tests/server/identity/certificate_authority.h"

namespace priorityd::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr char kRequest[] = "GET /page HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

TEST_F(ServerTest, AHandlerSaysStatusTypeAndBody) {
  Start();
  const auto page = Get("/page", {{"Accept", "text/x"}});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->status, 200);
  EXPECT_EQ(page->body, "text/x!");
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/x; n=1");
  const auto ill = Get("/ill");
  ASSERT_TRUE(ill);
  EXPECT_EQ(ill->status, 503);
  EXPECT_EQ(ill->body, "ill");
}

TEST_F(ServerTest, AnUnknownPathNamesTheOthersAndOtherMethodsAreRefused) {
  Start();
  const auto other = Get("/other");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->status, 404);
  EXPECT_THAT(other->body, HasSubstr("/page\n"));
  EXPECT_THAT(other->body, HasSubstr("/echo...\n"));
  EXPECT_THAT(
      Exchange("POST /page HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
      StartsWith("HTTP/1.1 405"));
}

TEST_F(ServerTest, TheAddressOfAnotherServerIsRefused) {
  Start();
  ServerOptions options;
  options.listen = server_->address();
  const auto second = Server::Start(options, {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("--http_listen: got 127.0.0.1:"));
  options.listen = "nowhere";
  EXPECT_FALSE(Server::Start(options, {}).ok());
}

TEST_F(ServerTest, WhoSendsByteAfterByteLosesTheConnectionInTime) {
  Start({.threads = 1, .read_time = absl::Milliseconds(300)});
  RawConnection slow(server_->address());
  ASSERT_TRUE(slow.Send("GET /page HTTP/1.1\r\nHost: h\r\nX: "));
  const absl::Time begin = absl::Now();
  while (slow.Send("x") && absl::Now() - begin < absl::Minutes(1)) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_LT(absl::Now() - begin, absl::Minutes(1));
  EXPECT_TRUE(AwaitPage());
}

TEST_F(ServerTest, WhoDoesNotReadTheAnswerLosesTheConnectionInTime) {
  Start({.threads = 1,
         .write_time = absl::Milliseconds(300),
         .least_bytes_per_second = size_t{1} << 30});
  RawConnection deaf(server_->address());
  ASSERT_TRUE(deaf.Send("GET /large HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
  // By the only thread there is.
  EXPECT_TRUE(Get("/page"));
  EXPECT_TRUE(Await([&] { return !deaf.Send("x"); }));
  EXPECT_LT(deaf.ReadAll().size(), size_t{20} << 20);
}

TEST_F(ServerTest, HostileRequestsHarmNobody) {
  Start({.read_time = absl::Milliseconds(200), .idle_time = absl::Milliseconds(200)});
  std::string ranges = "GET /page HTTP/1.1\r\nHost: h\r\nRange: bytes=0-0";
  while (ranges.size() < 8100) ranges += ",0-0";
  const std::vector<std::string> requests = {
      ranges + "\r\n\r\n",
      "GET /" + std::string(100'000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n",
      "GET /page HTTP/1.1\r\nHost: h\r\nX: " + std::string(100'000, 'b') + "\r\n\r\n",
      "POST /page HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n",
      "POST /page HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
      "GET http://[::1 HTTP/9.9\r\n\r\n",
      std::string("\0\0\0\n\r\n\r\n", 8),
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  };
  for (const std::string& request : requests) {
    Exchange(request);
    ASSERT_TRUE(AwaitPage()) << request.substr(0, 60);
  }
  std::string many = "GET /page HTTP/1.1\r\nHost: h\r\n";
  for (int i = 0; i < 10'000; ++i) many += "a: b\r\n";
  EXPECT_THAT(Exchange(many), testing::Not(StartsWith("HTTP/1.1 200")));
}

TEST_F(ServerTest, ARequestOfHttp11NamesOneHost) {
  Start();
  const auto ask = [&](const std::string& hosts, const std::string& version = "1.1") {
    return Exchange("GET /page HTTP/" + version + "\r\n" + hosts + "\r\n");
  };
  for (const char* hosts : {"", "Host: h\r\nHost: h\r\n", "host: h\r\nX: y\r\nHOST: g\r\n"}) {
    EXPECT_THAT(ask(hosts), testing::AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("Host: got ")));
    EXPECT_THAT(
        Exchange(absl::StrCat("POST /echo HTTP/1.1\r\n", hosts, "Content-Length: 2\r\n\r\nhi")),
        StartsWith("HTTP/1.1 400"));
  }
  EXPECT_THAT(ask("Host: h\r\nConnection: close\r\n"), StartsWith("HTTP/1.1 200"));
  // A request with an authority of no name, and one from before the header.
  EXPECT_THAT(ask("Host:\r\nConnection: close\r\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("", "1.0"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask("Host: h\r\nHost: h\r\n", "1.0"), StartsWith("HTTP/1.1 400"));
}

// A proxy that forwards such a body would have the answer to the second request for another
// client's.
TEST_F(ServerTest, ABodyOfAnotherTransferCodingThanChunkedIsNoSecondRequest) {
  Start();
  const auto ask = [&](const std::string& coding, const std::string& body,
                       const std::string& version = "1.1") {
    return Exchange(absl::StrCat("POST /echo HTTP/", version,
                                 "\r\nHost: h\r\nTransfer-Encoding: ", coding, "\r\n\r\n", body));
  };
  const std::string next = "GET /page HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  for (const char* coding : {"xchunked", "gzip", "identity", "chunked, chunked", "gzip, chunked"}) {
    const std::string answer = ask(coding, next);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400")) << coding;
    EXPECT_THAT(answer, HasSubstr("Transfer-Encoding: want ")) << coding;
    EXPECT_THAT(answer, testing::Not(HasSubstr("HTTP/1.1 200"))) << coding;
  }
  const std::string body = "2\r\n{}\r\n0\r\n\r\n";
  EXPECT_THAT(ask("Chunked", body + next), HasSubstr("POST /echo  {}"));
  EXPECT_THAT(ask("chunked", body, "1.0"), StartsWith("HTTP/1.1 400"));
}

TEST_F(ServerTest, ARequestThatNobodyAnswersEndsItsConnection) {
  Start();
  EXPECT_EQ(Exchange("POST /drop HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n"), "");
}

TEST_F(ServerTest, APeerThatClosesBeforeTheAnswerIsNoticedIfItIsLookedFor) {
  Start();
  // The beginning of a next request must not hide the end of the connection.
  constexpr char kTwo[] = "GET /wait HTTP/1.1\r\nHost: h\r\n\r\nGET ";
  auto leaves = std::make_unique<RawConnection>(server_->address());
  RawConnection stays(server_->address());
  leaves->Send(kTwo);
  stays.Send(kTwo);
  ASSERT_TRUE(Await([&] { return CountWaiting() == 2; }));
  const auto for_each = [&](auto act) {
    absl::MutexLock lock(&mutex_);
    for (const auto& exchange : waiting_) act(*exchange);
  };
  for_each([&](http::Exchange& exchange) {
    exchange.OnGone([this] { ++gone_; });
    exchange.LookForPeer();
  });
  ASSERT_TRUE(Get("/page")) << "by the thread that has looked once by now";
  leaves.reset();
  EXPECT_TRUE(Await([&] { return gone_ == 1; }));
  for_each([](http::Exchange& exchange) { exchange.Answer({.body = "late"}); });
  EXPECT_THAT(stays.ReadSome(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(gone_, 1);
}

TEST_F(ServerTest, EventsComeOneByOneAndAQuietStreamIsHeard) {
  Start({.heartbeat = absl::Milliseconds(20)});
  RawConnection reader(server_->address());
  reader.Send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(Await([&] { return CountStreams() == 1; }));
  const auto end = [this] { streams_.front()->EndStream(); };
  ASSERT_TRUE(streams_.front()->Send("data: 2\n\n", end).ok());
  // Before the first event it may be quiet for a while too.
  const std::string all = absl::StrReplaceAll(reader.ReadAll(), {{":\n\n", ""}});
  EXPECT_THAT(all, StartsWith("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"));
  EXPECT_THAT(all, HasSubstr("\r\n\r\ndata: 1\n\n"));
  EXPECT_THAT(all, HasSubstr("data: 2\n\n"));
  EXPECT_EQ(gone_, 0);

  RawConnection quiet(server_->address());
  quiet.Send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(Await([&] { return CountStreams() == 2; }));
  EXPECT_TRUE(Await([&] { return absl::StrContains(quiet.ReadSome(), ":\n\n"); }));
}

TEST_F(ServerTest, AClientThatOpensTooManyStreamsIsRefused) {
  Start({.max_streams = 1});
  auto first = std::make_unique<RawConnection>(server_->address());
  first->Send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(Await([&] { return CountStreams() == 1; }));
  const std::string second = "GET /events HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
  const std::string refused = Exchange(second);
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(refused, HasSubstr("http_streams: got 2 of "));
  first.reset();
  EXPECT_TRUE(Await([&] { return gone_ == 1; }));
  streams_.clear();
  RawConnection third(server_->address());
  third.Send(second);
  EXPECT_TRUE(Await([&] { return CountStreams() == 1; }));
}

TEST_F(ServerTest, AThousandStreamsAreOpenAtOnceOnFourThreads) {
  Start({.max_streams = 2000});
  std::vector<std::unique_ptr<RawConnection>> readers;
  for (int i = 0; i < 1000; ++i) {
    readers.push_back(std::make_unique<RawConnection>(server_->address()));
    readers.back()->Send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
  }
  ASSERT_TRUE(Await([&] { return CountStreams() == 1000; }));
  EXPECT_TRUE(Get("/page"));
  for (const auto& stream : streams_) {
    ASSERT_TRUE(stream->Send("data: last\n\n", [] {}).ok());
    stream->EndStream();
  }
  for (const auto& reader : readers) {
    EXPECT_THAT(reader->ReadAll(), testing::EndsWith("data: 1\n\ndata: last\n\n"));
  }
  EXPECT_EQ(gone_, 0);
}

class HttpsTest : public ServerTest {
 protected:
  // The body of /page; empty if the client or the server does not like the other.
  std::string GetPage(const std::string& certificate = "", const std::string& key = "") {
    const std::string port = server_->address().substr(server_->address().rfind(':') + 1);
    httplib::SSLClient client("127.0.0.1", std::stoi(port), certificate, key);
    client.set_read_timeout(60);
    client.set_ca_cert_path(authority_.certificate().c_str());
    client.enable_server_certificate_verification(true);
    const auto page = client.Get("/page", {{"Accept", "x"}});
    return page ? page->body : "";
  }

  const identity::CertificateAuthority authority_;
  const identity::CertificateFiles server_files_ =
      authority_.Issue("server", "DNS:localhost,IP:127.0.0.1");
};

TEST_F(HttpsTest, ItShowsItsCertificateAndTakesNoPlainRequests) {
  Start({.tls = {server_files_.certificate, server_files_.key, ""}});
  EXPECT_EQ(GetPage(), "x!");
  EXPECT_THAT(Exchange(kRequest), testing::Not(HasSubstr("200")));
}

TEST_F(HttpsTest, WithAClientAuthorityItServesWhoShowsACertificateOfIt) {
  Start({.tls = {server_files_.certificate, server_files_.key, authority_.certificate()}});
  EXPECT_EQ(GetPage(), "");
  const identity::CertificateFiles client = authority_.Issue("client", "DNS:client");
  EXPECT_EQ(GetPage(client.certificate, client.key), "x!");
  const identity::CertificateAuthority other;
  const identity::CertificateFiles stranger = other.Issue("client", "DNS:client");
  EXPECT_EQ(GetPage(stranger.certificate, stranger.key), "");
}

TEST_F(HttpsTest, WhoNeverFinishesTheHandshakeLosesTheConnectionInTime) {
  Start({.tls = {server_files_.certificate, server_files_.key, ""},
         .threads = 1,
         .read_time = absl::Milliseconds(300)});
  RawConnection silent(server_->address());
  EXPECT_EQ(silent.ReadAll(), "");
  EXPECT_TRUE(Await([&] { return GetPage() == "x!"; }));
}

TEST_F(HttpsTest, FilesThatCannotBeUsedAreRefused) {
  ServerOptions options;
  options.listen = "127.0.0.1:0";
  const identity::CertificateFiles other = authority_.Issue("other", "DNS:other");
  for (const TlsFiles& files :
       {TlsFiles{"/nowhere", server_files_.key, ""}, TlsFiles{server_files_.certificate, "", ""},
        TlsFiles{server_files_.certificate, other.key, ""},
        TlsFiles{server_files_.certificate, server_files_.key, "/nowhere"}}) {
    options.tls = files;
    const auto refused = Server::Start(options, {});
    EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(refused.status().message()), StartsWith("--tls_"));
  }
}

TEST_F(HttpsTest, ACertificateThatIsRenewedIsShownWithoutARestart) {
  const std::string certificate = server_files_.certificate, key = server_files_.key;
  Start({.tls = {certificate, key, ""}});
  EXPECT_EQ(GetPage(), "x!");
  // Of a name that the client does not take, so that the change shows.
  const identity::CertificateFiles renewed = authority_.Issue("renewed", "DNS:elsewhere");
  ASSERT_EQ(std::rename(renewed.key.c_str(), key.c_str()), 0);
  ASSERT_EQ(std::rename(renewed.certificate.c_str(), certificate.c_str()), 0);
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!GetPage().empty() && absl::Now() < deadline) absl::SleepFor(absl::Milliseconds(50));
  EXPECT_EQ(GetPage(), "");
}

TEST_F(ServerTest, ItStopsWhileConnectionsAreOpen) {
  Start({.read_time = absl::Milliseconds(300)});
  RawConnection silent(server_->address());
  ASSERT_TRUE(AwaitPage());
  server_.reset();
  EXPECT_EQ(silent.ReadAll(), "");
}

TEST_F(ServerTest, StreamsThatAreOpenEndWhenItStops) {
  Start();
  RawConnection reader(server_->address());
  reader.Send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
  std::string all;
  ASSERT_TRUE(Await([&] { return absl::StrContains(all += reader.ReadSome(), "data: 1"); }));
  ASSERT_TRUE(Await([&] { return CountStreams() == 1; }));
  std::thread stop([this] { server_.reset(); });
  EXPECT_TRUE(Await([&] { return gone_ == 1; }));
  {
    absl::MutexLock lock(&mutex_);
    streams_.clear();
  }
  stop.join();
  EXPECT_EQ(reader.ReadAll(), "");
}

}  // namespace
}  // namespace priorityd::http
