#include "server/gateway/gateway.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "server/authorization/rights_table.h"
#include "server/replica.h"
#include "tests/await.h"
#include "tests/server/gateway/http_site.h"
#include "tests/server/identity/certificate_authority.h"
#include "tests/server/service/test_service.h"

namespace priorityd::gateway {
namespace {

namespace v1 = ::priority::v1;
using authorization::Role;
using authorization::RoleSet;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kListShares[] = "/v1/PriorityService/ListShares";
constexpr char kListJobs[] = "/v1/PriorityService/ListJobs";
constexpr char kUpdateJobs[] = "/v1/PriorityService/UpdateJobs";
constexpr char kWatchRanking[] = "/v1/PriorityService/WatchRanking";
constexpr char kRecalculate[] = "/v1/AdminService/Recalculate";

std::string JobJson(const std::string& job_id) {
  return nlohmann::json{{"upserts",
                         {{{"jobId", job_id},
                           {"user", "amy"},
                           {"account", "a"},
                           {"partitions", {"main"}},
                           {"qos", {"normal"}},
                           {"cpus", 1},
                           {"nodes", 1},
                           {"submitTime", "2026-01-01T00:00:00Z"}}}}}
      .dump();
}

class GatewayTest : public testing::Test {
 protected:
  HttpSite site_;
};

// `priority.v1.PriorityService/RankJobs` as it is over HTTP.
std::string PathOf(const authorization::Right& right) {
  const std::vector<std::string> parts = absl::StrSplit(right.method, '.');
  return absl::StrCat("/v1/", parts.back());
}

TEST_F(GatewayTest, EachRpcIsForTheRolesOfTheRightsTable) {
  const std::vector<std::pair<std::string, RoleSet>> callers = {
      {"amy", {Role::kUser}},
      {"coo", {Role::kUser, Role::kCoordinator}},
      {"ope", {Role::kUser, Role::kOperator}},
      {"adm", {Role::kUser, Role::kAdministrator}},
      {"k8s:collector", {Role::kCollector}},
      {"k8s:frontend", {Role::kFrontend}},
      {"k8s:dashboard", {Role::kDashboard}},
      {"k8s:stranger", {}}};
  for (const authorization::Right& right : authorization::kRightsTable) {
    const std::string path = PathOf(right);
    if (right.rpc == authorization::Rpc::kStreamUsage) continue;  // Not served.
    EXPECT_THAT(site_.PostRaw(path, "", "{}"), StartsWith("HTTP/1.1 401 ")) << path;
    for (const auto& [who, roles] : callers) {
      const std::string answer = site_.PostRaw(path, who, "{}");
      const bool may = roles.HasAnyOf(right.roles);
      EXPECT_EQ(absl::StrContains(answer, "ROLE_REQUIRED"), !may) << path << " by " << who;
      if (!may) {
        EXPECT_THAT(answer, StartsWith("HTTP/1.1 403 ")) << path << " by " << who;
      }
      EXPECT_THAT(answer, Not(StartsWith("HTTP/1.1 401 "))) << path << " by " << who;
      EXPECT_THAT(answer, Not(StartsWith("HTTP/1.1 501 "))) << path << " by " << who;
    }
  }
}

TEST_F(GatewayTest, AStreamOfRequestsIsRefusedByName) {
  const auto answer = site_.Post("/v1/PriorityService/StreamUsage", "k8s:collector", "{}");
  EXPECT_EQ(answer->status, 501);
  EXPECT_EQ(ReasonIn(answer->body), "CLIENT_STREAM");
  EXPECT_THAT(answer->body, HasSubstr("StreamUsage takes a stream of requests"));
}

TEST_F(GatewayTest, ItAnswersWhatGrpcAnswers) {
  v1::ListSharesResponse by_grpc;
  ASSERT_TRUE(site_.replica()
                  .Call("priority.v1.PriorityService/ListShares", site_.AuthorizationOf("ope"),
                        nullptr, &by_grpc)
                  .ok());
  ASSERT_GT(by_grpc.shares_size(), 4);
  for (const auto& answer : {site_.Post(kListShares, "ope", "{}"), site_.Get(kListShares, "ope")}) {
    ASSERT_EQ(answer->status, 200) << answer->body;
    EXPECT_EQ(answer->get_header_value("Content-Type"), "application/json");
    v1::ListSharesResponse by_http;
    ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(answer->body, &by_http).ok());
    EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(by_grpc, by_http));
  }
}

TEST_F(GatewayTest, TheHeadAloneIsThatOfTheAnswer) {
  httplib::Client client("http://" + site_.address());
  client.set_read_timeout(60);
  const httplib::Headers ope = {{"Authorization", site_.AuthorizationOf("ope")}};
  const auto head = client.Head(kListShares, ope);
  ASSERT_TRUE(head);
  const auto whole = site_.Get(kListShares, "ope", {{"Accept-Encoding", "identity"}});
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->body, "");
  EXPECT_EQ(head->get_header_value("ETag"), whole->get_header_value("ETag"));
  EXPECT_EQ(head->get_header_value("Content-Length"), absl::StrCat(whole->body.size()));
  EXPECT_EQ(client.Head(kUpdateJobs, ope)->status, 405);
  EXPECT_EQ(client.Head(absl::StrCat(kPriorityService, "WatchRanking"), ope)->status, 405);
  EXPECT_EQ(client.Head("/slurm/v0.0.44/shares", ope)->status, 200);
}

TEST_F(GatewayTest, AnErrorHasTheStatusOfItsCodeAndItsDetails) {
  const auto unknown = site_.Post(kListShares, "ope", R"({"cluster": "nowhere"})");
  EXPECT_EQ(unknown->status, 404);
  const auto status = nlohmann::json::parse(unknown->body);
  EXPECT_EQ(status["code"], 5);
  EXPECT_THAT(std::string(status["message"]), HasSubstr("nowhere"));
  EXPECT_EQ(site_.Post("/v1/PriorityService/Nothing", "ope", "{}")->status, 404);
  const auto refused = site_.Get(kUpdateJobs, "ope");
  EXPECT_EQ(refused->status, 405);
  EXPECT_EQ(refused->get_header_value("Allow"), "POST");
  const auto nobody = site_.Post(kListShares, "", "{}");
  EXPECT_EQ(nobody->status, 401);
  EXPECT_EQ(nobody->get_header_value("WWW-Authenticate"), "Bearer");
}

TEST_F(GatewayTest, OtherListsAreNotSentAgainWhileTheyAreTheSame) {
  const std::string tag = site_.Get(kListJobs, "ope")->get_header_value("ETag");
  EXPECT_EQ(site_.Get(kListJobs, "ope", {{"If-None-Match", tag}})->status, 304);
  ASSERT_EQ(site_.Post(kUpdateJobs, "ope", JobJson("1"))->status, 200);
  EXPECT_EQ(site_.Get(kListJobs, "ope", {{"If-None-Match", tag}})->status, 200);
}

TEST_F(GatewayTest, WhatWasAnsweredBeforeIsNotAnsweredForSomethingElse) {
  const auto body_of = [&](const char* path, const std::string& request) {
    const auto answer = site_.Post(path, "adm", request);
    EXPECT_EQ(answer->status, 200) << answer->body;
    return nlohmann::json::parse(answer->body);
  };
  // Both messages have no bytes.
  EXPECT_EQ(body_of("/v1/PriorityService/RecordUsage", "{}").count("accepted"), 1);
  EXPECT_EQ(body_of(kUpdateJobs, "{}").count("accepted"), 0);
  for (int jobs = 0; jobs < 3; ++jobs) {
    for (int again = 0; again < 2; ++again) {
      EXPECT_EQ(body_of(kListJobs, "{}")["jobs"].size(), jobs);
    }
    body_of(kUpdateJobs, JobJson(absl::StrCat(jobs)));
  }
}

TEST_F(GatewayTest, LongAnswersAreCompressedForClientsThatAcceptIt) {
  const auto packed = site_.Get(kListShares, "ope", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(packed->get_header_value("Content-Encoding"), "gzip");
  for (const char* refused : {"gzip;q=0", "identity, gzip; q=0.0, *", "*;q=0", "br"}) {
    const auto unpacked = site_.Get(kListShares, "ope", {{"Accept-Encoding", refused}});
    EXPECT_FALSE(unpacked->has_header("Content-Encoding")) << refused;
  }
  for (const char* accepted : {"br, GZIP;q=0.5", "*"}) {
    EXPECT_EQ(site_.Get(kListShares, "ope", {{"Accept-Encoding", accepted}})
                  ->get_header_value("Content-Encoding"),
              "gzip")
        << accepted;
  }
  const auto plain = site_.Get(kListShares, "ope", {{"Accept-Encoding", "identity"}});
  EXPECT_FALSE(plain->has_header("Content-Encoding"));
  EXPECT_EQ(packed->body, plain->body);  // httplib has unpacked it.
}

TEST_F(GatewayTest, AFormOfAnotherSiteIsRefused) {
  httplib::Client client("http://" + site_.address());
  client.set_read_timeout(60);
  const httplib::Headers proof = {{"Authorization", site_.AuthorizationOf("adm")}};
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded", ""}) {
    const auto form = client.Post(kRecalculate, proof, "{}", type);
    EXPECT_EQ(form->status, 415) << type;
    EXPECT_EQ(ReasonIn(form->body), "CONTENT_TYPE");
  }
  const auto foreign = site_.Post(kRecalculate, "adm", "{}", {{"Origin", "https://evil.example"}});
  EXPECT_EQ(foreign->status, 403);
  EXPECT_EQ(ReasonIn(foreign->body), "ORIGIN_REFUSED");
  EXPECT_FALSE(foreign->has_header("Access-Control-Allow-Origin"));
  const std::string own = "http://" + site_.address();
  EXPECT_EQ(site_.Post(kRecalculate, "adm", "{}", {{"Origin", own}})->status, 200);
}

TEST(GatewayOriginsTest, OnlyPagesOfAnAllowedOriginMayRead) {
  HttpSite site({.allowed_origins = {"https://portal.example.org"}});
  httplib::Client client("http://" + site.address());
  client.set_read_timeout(60);
  const auto may = client.Options(kListShares, {{"Origin", "https://portal.example.org"}});
  EXPECT_EQ(may->status, 204);
  EXPECT_EQ(may->get_header_value("Access-Control-Allow-Origin"), "https://portal.example.org");
  EXPECT_THAT(may->get_header_value("Access-Control-Allow-Headers"), HasSubstr("authorization"));
  EXPECT_EQ(client.Options(kListShares, {{"Origin", "https://evil.example"}})->status, 403);
  const auto read = site.Get(kListShares, "ope", {{"Origin", "https://portal.example.org"}});
  EXPECT_EQ(read->status, 200);
  EXPECT_EQ(read->get_header_value("Access-Control-Allow-Origin"), "https://portal.example.org");
  const auto refused = site.Get(kListShares, "", {{"Origin", "https://portal.example.org"}});
  EXPECT_TRUE(refused->has_header("Access-Control-Allow-Origin"));
}

std::string FramedBy(HttpSite& site, const std::string& path) {
  const auto answer = site.Get(path, "");
  EXPECT_TRUE(answer && answer->status == 200) << path;
  const std::string policy = answer->get_header_value("Content-Security-Policy");
  return policy.substr(policy.find("frame-ancestors"));
}

TEST_F(GatewayTest, NobodyMayFrameThePageOrACard) {
  for (const char* path : {"/", "/index.html", "/app.js", "/card", "/card.html?user=amy"}) {
    EXPECT_EQ(FramedBy(site_, path), "frame-ancestors 'none'") << path;
  }
}

TEST(GatewayOriginsTest, PagesOfANamedOriginMayFrameACardAndNothingElse) {
  HttpSite site({.frame_ancestors = {"https://portal.example.org", "https://b.example.org:8443"}});
  for (const char* path : {"/card", "/card?user=amy", "/card.html"}) {
    EXPECT_EQ(FramedBy(site, path),
              "frame-ancestors https://portal.example.org https://b.example.org:8443")
        << path;
  }
  for (const char* path : {"/", "/index.html"}) {
    EXPECT_EQ(FramedBy(site, path), "frame-ancestors 'none'") << path;
  }
}

TEST(GatewayOriginsTest, WithoutProofsAStrangersNameForThisHostIsRefused) {
  HttpSite site({.anonymous = true});
  for (const char* host :
       {"rebound.evil.example", "evil", "priorityd:7412", "1.1.1.1", "[2001:db8::1]",
        "localhost.evil.example", "127.0.0.1.evil.example", "[::1", "2130706433"}) {
    EXPECT_EQ(site.Get(kListShares, "ope", {{"Host", host}})->status, 403) << host;
  }
  char own[256] = "";
  ASSERT_EQ(gethostname(own, sizeof(own) - 1), 0);
  for (const std::string& host :
       {std::string("localhost:7412"), std::string("LOCALHOST"), std::string("127.0.0.1"),
        std::string("127.0.0.2:1"), std::string("[::1]:7412"), std::string(own)}) {
    EXPECT_EQ(site.Get(kListShares, "ope", {{"Host", host}})->status, 200) << host;
  }
}

TEST_F(GatewayTest, WhatMarkupAJobHasForANameIsDataAndNothingElse) {
  const std::string name = "<img src=x onerror=\"alert(1)\">";
  ASSERT_EQ(site_.Post(kUpdateJobs, "ope", JobJson(name))->status, 200);
  const auto jobs = site_.Get(kListJobs, "ope");
  EXPECT_THAT(jobs->body, Not(HasSubstr("<img")));
  EXPECT_EQ(jobs->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_EQ(nlohmann::json::parse(jobs->body)["jobs"][0]["job"]["jobId"], name);
}

// gRPC itself would only say that its metadata are too large.
TEST_F(GatewayTest, HeadersThatAreTooLargeTogetherAreRefusedByTheirSize) {
  const std::string token = "Bearer " + std::string(4000, 'a');
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const auto both =
      site_.Post(kListShares, "", "{}",
                 {{"Authorization", token}, {"X-Slurm-User-Token", token}, {"traceparent", trace}});
  EXPECT_EQ(both->status, 400);
  EXPECT_EQ(ReasonIn(both->body), "INVALID_HEADER");
  EXPECT_THAT(both->body, HasSubstr("bytes together, want at most 7168"));
  for (const int size : {100, 4000, 6500, 7200, 8000, 9000}) {
    const auto one =
        site_.Post(kListShares, "", "{}",
                   {{"Authorization", "Bearer " + std::string(size, 'a')}, {"traceparent", trace}});
    EXPECT_EQ(ReasonIn(one->body), size <= 6500 ? "TOKEN_MALFORMED" : "INVALID_HEADER") << size;
  }
}

TEST_F(GatewayTest, NoHeaderBecomesMetadataThatItIsNotMeantToBe) {
  // What the gateway itself would say of a collector's certificate, but for the secret.
  const std::string forged =
      std::string(32, 'x') + "ipv4:1.2.3.4:5" + "," + "collector.example.org";
  const auto by_http = site_.Post(kListShares, "", "{}", {{"priorityd-relayed-bin", forged}});
  EXPECT_EQ(by_http->status, 401);
  std::string bytes = std::string(32, 'x') + "ipv4:1.2.3.4:5";
  bytes += '\0';
  bytes += "collector.example.org";
  const grpc::Status by_grpc = site_.replica().Call(
      "priority.v1.PriorityService/RecordUsage", bytes, nullptr, nullptr, "priorityd-relayed-bin");
  EXPECT_EQ(by_grpc.error_code(), grpc::UNAUTHENTICATED);
  http::RawConnection raw(site_.address());
  raw.Send(absl::StrCat("POST ", kListShares,
                        " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer a\x01"
                        "b\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"));
  EXPECT_THAT(raw.ReadSome(), StartsWith("HTTP/1.1 400 "));
}

TEST_F(GatewayTest, TheAuditHasTheAddressOfTheCaller) {
  ASSERT_EQ(site_.Post("/v1/AdminService/CreateQos", "ope", R"({"names": ["late"]})")->status, 200);
  const auto events = site_.Get("/v1/AdminService/ListAuditEvents", "ope");
  ASSERT_EQ(events->status, 200) << events->body;
  EXPECT_THAT(events->body, HasSubstr("ipv4:127.0.0.1:"));
}

TEST_F(GatewayTest, ChangesOfARankingComeAsEventsUntilTheReaderGoes) {
  http::RawConnection reader(site_.address());
  reader.Send(absl::StrCat("GET ", kWatchRanking,
                           "?limit=10 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ",
                           site_.AuthorizationOf("ope"), "\r\n\r\n"));
  std::string all;
  const auto has = [&](const std::string& text) {
    while (!absl::StrContains(all, text)) {
      const std::string some = reader.ReadSome();
      if (some.empty()) return false;
      all += some;
    }
    return true;
  };
  ASSERT_TRUE(has("\"state\":")) << all;
  EXPECT_THAT(all, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/event-stream")));
  ASSERT_EQ(site_.Post(kUpdateJobs, "ope", JobJson("17"))->status, 200);
  ASSERT_TRUE(has("\"jobId\":\"17\"")) << all;
}

TEST_F(GatewayTest, WhoLeavesAWatchIsNoWatcherAnyMore) {
  const auto watchers = [&] {
    const auto status = nlohmann::json::parse(site_.Get("/v1/AdminService/GetStatus", "ope")->body);
    return std::string(status["calls"]["watchers"]);
  };
  {
    std::vector<std::unique_ptr<http::RawConnection>> readers;
    for (int i = 0; i < 20; ++i) {
      readers.push_back(std::make_unique<http::RawConnection>(site_.address()));
      readers.back()->Send(absl::StrCat("GET ", kWatchRanking,
                                        " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ",
                                        site_.AuthorizationOf("ope"), "\r\n\r\n"));
    }
    EXPECT_TRUE(Await([&] { return watchers() == "20"; }));
  }
  EXPECT_TRUE(Await([&] { return watchers() == "0"; }));
}

TEST_F(GatewayTest, AStreamThatFailsAtOnceIsAnOrdinaryError) {
  const auto answer = site_.Post(kWatchRanking, "ope", R"({"limit": 999999})");
  EXPECT_EQ(answer->status, 400);
  EXPECT_THAT(answer->body, HasSubstr("limit"));
}

TEST_F(GatewayTest, AStreamThatEndsSaysSo) {
  const auto answer =
      site_.Post("/v1/AdminService/RebuildUsage", "adm", R"({"validateOnly": true})");
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->body,
              AllOf(HasSubstr("\"done\":true"), testing::EndsWith("event: end\ndata: {}\n\n")));
}

TEST_F(GatewayTest, StreamsEndWhenTheServiceStops) {
  http::RawConnection reader(site_.address());
  reader.Send(absl::StrCat("GET ", kWatchRanking, " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ",
                           site_.AuthorizationOf("ope"), "\r\n\r\n"));
  ASSERT_THAT(reader.ReadSome(), StartsWith("HTTP/1.1 200"));
  site_.replica().replica().Drain(absl::Seconds(10));
  const std::string rest = reader.ReadAll();
  EXPECT_THAT(rest, HasSubstr("event: error\ndata: {\"code\":14"));
  site_.StopServing();
}

TEST(GatewayTlsTest, AClientCertificateIsAProofAsItIsOverGrpc) {
  const identity::CertificateAuthority authority;
  const identity::CertificateFiles files = authority.Issue("server", "IP:127.0.0.1");
  HttpSite site({.tls = {files.certificate, files.key, authority.certificate()}});
  const auto post = [&](const std::string& name, const std::string& path) {
    const identity::CertificateFiles client = authority.Issue("client", "DNS:" + name);
    const int port = std::stoi(site.address().substr(site.address().rfind(':') + 1));
    httplib::SSLClient ssl("127.0.0.1", port, client.certificate, client.key);
    ssl.set_read_timeout(60);
    ssl.set_ca_cert_path(authority.certificate().c_str());
    return ssl.Post(path.c_str(), "{}", "application/json");
  };
  EXPECT_EQ(post("collector.example.org", "/v1/PriorityService/RecordUsage")->status, 200);
  const auto other = post("other.example.org", "/v1/PriorityService/RecordUsage");
  EXPECT_EQ(other->status, 403) << other->body;
}

}  // namespace
}  // namespace priorityd::gateway
