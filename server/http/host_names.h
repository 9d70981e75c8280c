// The names by which browsers may call this host.
#ifndef PRIORITYD_SERVER_HTTP_HOST_NAMES_H_
#define PRIORITYD_SERVER_HTTP_HOST_NAMES_H_

#include <set>
#include <string>
#include <vector>

#include "server/http/exchange.h"

namespace priorityd::http {

// A page of a stranger reaches this host under the stranger's own name, whose name server gives our
// address for it: then the browser takes both for one origin. So where nothing proves who calls, a
// request must name this host as nobody else can. Thread-safe.
class HostNames {
 public:
  // `more`: names beside localhost, this host's own name and its addresses.
  explicit HostNames(const std::vector<std::string>& more = {});

  // Whether the header Host, with or without a port, names this host. A request without one is of
  // no browser.
  bool Know(const std::string& host) const;

  // The page, for requests that name this host, and 403 for others.
  Page Guard(Page page) const;

 private:
  std::set<std::string> names_;
};

// What a header Host names, in lower case and without the port; of an IPv6 address with its
// brackets.
std::string HostWithoutPort(const std::string& host);

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_HOST_NAMES_H_
