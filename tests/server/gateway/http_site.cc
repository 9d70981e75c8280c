#include "tests/server/gateway/http_site.h"

#include <gtest/gtest.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/replica.h"

namespace priorityd::gateway {

HttpSite::HttpSite(const Options& options) {
  rpc::SecuredReplica::Options replica;
  replica.policy = options.policy;
  replica_ = std::make_unique<rpc::SecuredReplica>(replica);
  gateway_ = std::make_unique<Gateway>(
      Gateway::Options{.channel = replica_->replica().server().InProcessChannel(),
                       .boundary = &replica_->replica().boundary(),
                       .pools = &replica_->replica().pools(),
                       .origins = {options.allowed_origins, options.anonymous},
                       .frame_ancestors = options.frame_ancestors});
  http::Routes routes;
  gateway_->AddRoutes(&routes);
  http::ServerOptions server;
  server.listen = "127.0.0.1:0";
  server.tls = options.tls;
  rpc::Admission& admission = replica_->replica().boundary().admission();
  server.memory = {[&admission](size_t bytes) { return admission.Take(bytes); },
                   [&admission](size_t bytes) { admission.GiveBack(bytes); }};
  auto started = http::Server::Start(server, std::move(routes));
  EXPECT_TRUE(started.ok()) << started.status();
  server_ = *std::move(started);
}

std::string HttpSite::AuthorizationOf(const std::string& who) const {
  if (who.empty()) return "";
  absl::string_view service = who;
  return absl::ConsumePrefix(&service, "k8s:") ? replica_->ServiceToken(std::string(service))
                                               : replica_->SlurmToken(who);
}

httplib::Result HttpSite::Post(const std::string& path, const std::string& who,
                               const std::string& json, httplib::Headers headers) {
  httplib::Client client("http://" + address());
  client.set_read_timeout(180);
  if (!who.empty()) headers.emplace("Authorization", AuthorizationOf(who));
  return client.Post(path.c_str(), headers, json, "application/json");
}

httplib::Result HttpSite::Get(const std::string& path, const std::string& who,
                              httplib::Headers headers) {
  httplib::Client client("http://" + address());
  client.set_read_timeout(180);
  if (!who.empty()) headers.emplace("Authorization", AuthorizationOf(who));
  httplib::Result result = client.Get(path.c_str(), headers);
  EXPECT_TRUE(result) << path << ": " << httplib::to_string(result.error());
  return result;
}

std::string HttpSite::PostRaw(const std::string& path, const std::string& who,
                              const std::string& json) {
  http::RawConnection connection(address());
  const std::string proof =
      who.empty() ? "" : absl::StrCat("Authorization: ", AuthorizationOf(who), "\r\n");
  connection.Send(absl::StrCat("POST ", path, " HTTP/1.1\r\nHost: 127.0.0.1\r\n", proof,
                               "Content-Type: application/json\r\nContent-Length: ", json.size(),
                               "\r\n\r\n", json));
  return connection.ReadSome();
}

std::string ReasonIn(const std::string& json) {
  const auto status = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!status.is_object() || !status.contains("details")) return "";
  for (const auto& detail : status["details"]) {
    if (detail.contains("reason")) return detail["reason"];
  }
  return "";
}

}  // namespace priorityd::gateway
