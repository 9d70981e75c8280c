#include "tests/storage/pgbouncer.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "tests/free_port.h"
#include "tests/storage/test_database.h"

namespace priorityd::storage {

Pgbouncer::Pgbouncer(const PostgresServer& server, const std::string& pool_mode)
    : folder_(NewTestDirectory()), port_(FreePort()) {
  const std::string configuration = folder_ + "/pgbouncer.ini";
  std::ofstream(configuration) << "[databases]\n* = host=127.0.0.1 port=" << server.port()
                               << " user=priorityd\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"
                               << "listen_port = " << port_ << "\nunix_socket_dir =\n"
                               << "auth_type = any\npool_mode = " << pool_mode
                               << "\ndefault_pool_size = 50\nmax_client_conn = 200\n";
  program_.emplace(std::vector<std::string>{"/usr/sbin/pgbouncer", configuration},
                   folder_ + "/log");
  AwaitListening(port_);
}

std::string Pgbouncer::Url(const std::string& database) const {
  return absl::StrCat("postgresql://priorityd@127.0.0.1:", port_, "/", database,
                      "?sslmode=disable");
}

}  // namespace priorityd::storage
