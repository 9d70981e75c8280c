#include "storage/connection.h"

#include <spdlog/spdlog.h>

namespace priorityd::storage {
namespace {

// The times at which the server gives a vanished client up are those of
// CompleteConnectionString. They do not apply to a Unix socket. A server that waits for a
// lock looks for its client too.
constexpr char kCommonSettings[] =
    "SET client_min_messages = warning; "
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; "
    "SET tcp_user_timeout = 15000; SET client_connection_check_interval = '5s'; ";

constexpr char kIdentify[] =
    "SELECT concat_ws(' ', s.system_identifier, extract(epoch FROM pg_postmaster_start_time()), "
    "d.oid), pg_backend_pid() "
    "FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()";

}  // namespace

bool Connection::NoticeLog::operator()(const char message[]) noexcept {
  spdlog::debug("storage: notice: {}", message);
  return false;
}

Connection::Connection(const std::string& connection_string, const std::string& settings)
    : connection_(connection_string), notices_(connection_) {
  const pqxx::result row =
      pqxx::nontransaction(connection_).exec(kCommonSettings + settings + kIdentify);
  identity_ = row.at(0).at(0).as<std::string>();
  backend_pid_ = row.at(0).at(1).as<int>();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  connection_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
}

}  // namespace priorityd::storage
