// Protection against requests from other sites' pages in browsers.
#ifndef PRIORITYD_SERVER_GATEWAY_ORIGINS_H_
#define PRIORITYD_SERVER_GATEWAY_ORIGINS_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/http/exchange.h"
#include "server/http/host_names.h"

namespace priorityd::gateway {

// Thread-safe.
class Origins {
 public:
  struct Options {
    // In browsers' form, `https://portal.example.org`: pages of these origins may read answers
    // (CORS).
    std::vector<std::string> allowed;
    // Without authentication, a request must name this host; see http::HostNames.
    bool anonymous = false;
    // Names of this host in addition to its own and those of the origins.
    std::vector<std::string> hosts;
  };
  explicit Origins(const Options& options);

  // PERMISSION_DENIED (ORIGIN_REFUSED, HOST_REFUSED) for a browser's request caused by another
  // site's page or name. INVALID_ARGUMENT (CONTENT_TYPE) for a POST that is not JSON: browsers send
  // forms without a preflight request, but not JSON.
  absl::Status Check(const http::Request& request) const;

  // The answer to a preflight request (OPTIONS).
  http::Response Preflight(const http::Request& request) const;

  // Adds the headers that let an allowed origin's page read the response.
  void Permit(const http::Request& request, http::Response* response) const;

 private:
  bool Allows(const std::string& origin) const { return allowed_.count(origin) > 0; }

  const std::set<std::string> allowed_;
  const http::HostNames hosts_;
  const bool anonymous_;
};

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_ORIGINS_H_
