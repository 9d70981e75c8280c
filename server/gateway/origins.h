// Pages of other sites that browsers show: what these may not make their readers do.
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
    // As browsers name them, `https://portal.example.org`: pages from there may read answers
    // (CORS).
    std::vector<std::string> allowed;
    // Nothing proves who calls: then the request must name this host; see http::HostNames.
    bool anonymous = false;
    // Names of this host, beside its own and those of the origins.
    std::vector<std::string> hosts;
  };
  explicit Origins(const Options& options);

  // PERMISSION_DENIED (ORIGIN_REFUSED, HOST_REFUSED) for a request that a page of another site, or
  // a name of another site, has made the browser send. INVALID_ARGUMENT (CONTENT_TYPE) for a POST
  // that is not JSON: forms are not, so browsers ask first.
  absl::Status Check(const http::Request& request) const;

  // The answer to a browser that asks (OPTIONS) whether it may.
  http::Response Preflight(const http::Request& request) const;

  // Lets the page that asked read the response, if it may.
  void Permit(const http::Request& request, http::Response* response) const;

 private:
  bool Allows(const std::string& origin) const { return allowed_.count(origin) > 0; }

  const std::set<std::string> allowed_;
  const http::HostNames hosts_;
  const bool anonymous_;
};

}  // namespace priorityd::gateway

#endif  // PRIORITYD_SERVER_GATEWAY_ORIGINS_H_
