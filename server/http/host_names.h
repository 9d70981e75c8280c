// The host names that requests from browsers may address.
#ifndef PRIORITYD_SERVER_HTTP_HOST_NAMES_H_
#define PRIORITYD_SERVER_HTTP_HOST_NAMES_H_

#include <set>
#include <string>
#include <vector>

#include "server/http/exchange.h"

namespace priorityd::http {

// Protects against DNS rebinding: a foreign page can reach this host under a foreign name that
// resolves to our address, and the browser then treats both as one origin. Without authentication,
// a request must therefore name this host by one of its own names. Thread-safe.
class HostNames {
 public:
  // `more`: names in addition to localhost, this host's own name and its addresses.
  explicit HostNames(const std::vector<std::string>& more = {});

  // Whether the header Host, with or without a port, names this host. A request without the header
  // does not come from a browser.
  bool Know(const std::string& host) const;

  // Serves `page` to requests that name this host, and 403 to others.
  Page Guard(Page page) const;

 private:
  std::set<std::string> names_;
};

// The name in a header Host, in lower case and without the port; IPv6 addresses keep their
// brackets.
std::string HostWithoutPort(const std::string& host);

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_HOST_NAMES_H_
