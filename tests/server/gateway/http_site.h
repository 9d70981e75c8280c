// A secured replica that is called over HTTP.
#ifndef PRIORITYD_TESTS_SERVER_GATEWAY_HTTP_SITE_H_
#define PRIORITYD_TESTS_SERVER_GATEWAY_HTTP_SITE_H_

#include <httplib.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "server/gateway/gateway.h"
#include "server/http/server.h"
#include "tests/server/http/raw_connection.h"
#include "tests/server/service/secured_replica.h"

namespace priorityd::gateway {

inline constexpr char kPriorityService[] = "/v1/PriorityService/";

class HttpSite {
 public:
  struct Options {
    http::TlsFiles tls;
    std::vector<std::string> allowed_origins;
    std::vector<std::string> frame_ancestors;
    bool anonymous = false;
    std::string policy;
  };
  HttpSite() : HttpSite(Options()) {}
  explicit HttpSite(const Options& options);

  rpc::SecuredReplica& replica() { return *replica_; }
  const std::string& address() const { return server_->address(); }

  // Posts JSON to a path, with the Authorization of a user or a service; empty = none.
  httplib::Result Post(const std::string& path, const std::string& who, const std::string& json,
                       httplib::Headers headers = {});
  httplib::Result Get(const std::string& path, const std::string& who,
                      httplib::Headers headers = {});
  // What begins with the status line, as far as it comes at once.
  std::string PostRaw(const std::string& path, const std::string& who, const std::string& json);
  // The proof of a user, or of a service where `who` begins with `k8s:`.
  std::string AuthorizationOf(const std::string& who) const;

  void StopServing() { server_.reset(); }

 private:
  std::unique_ptr<rpc::SecuredReplica> replica_;
  std::unique_ptr<Gateway> gateway_;
  std::unique_ptr<http::Server> server_;
};

// The reason of the ErrorInfo in an answer.
std::string ReasonIn(const std::string& json);

}  // namespace priorityd::gateway

#endif  // PRIORITYD_TESTS_SERVER_GATEWAY_HTTP_SITE_H_
