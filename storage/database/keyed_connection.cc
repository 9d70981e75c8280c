#include "storage/database/keyed_connection.h"

#include <postgresql/libpq-fe.h>

namespace priorityd::storage {

pqxx::connectionpolicy::handle KeyedConnection::Policy::do_startconnect(handle connection) {
  connection = connect_direct::do_startconnect(connection);
  if (key_ == nullptr) key_.reset(PQgetCancel(connection), &PQfreeCancel);
  return connection;
}

KeyedConnection::KeyedConnection(const std::string& connection_string)
    : pqxx::connection_base(policy_), policy_(connection_string) {
  init();
}

KeyedConnection::~KeyedConnection() noexcept { close(); }

}  // namespace priorityd::storage
