// Debian's HAProxy as a process of a test's own, with the configuration of deploy/haproxy.
#ifndef PRIORITYD_TESTS_DEPLOY_REAL_HAPROXY_H_
#define PRIORITYD_TESTS_DEPLOY_REAL_HAPROXY_H_

#include <memory>
#include <string>
#include <vector>

#include "tests/storage/postgres_server.h"

namespace priorityd {

class RealHaproxy {
 public:
  // In front of a priorityd on the Unix socket `socket`. `settings`: more variables, NAME=VALUE,
  // without PRIORITYD_PROXY_.
  RealHaproxy(const std::string& socket, const std::string& secret,
              const std::vector<std::string>& settings = {});

  int port() const { return port_; }
  std::string address() const;
  // What it has in memory now.
  double ResidentMib() const;
  std::string Log() const;

 private:
  const std::string folder_;
  const int port_;
  std::unique_ptr<storage::BackgroundProgram> process_;
};

// Whether the configuration is taken with these variables; what HAProxy printed.
bool CheckHaproxy(const std::vector<std::string>& settings, std::string* output);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_DEPLOY_REAL_HAPROXY_H_
