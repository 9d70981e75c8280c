// A connection to PostgreSQL with the settings that all connections share.
#ifndef STORAGE_DATABASE_CONNECTION_H_
#define STORAGE_DATABASE_CONNECTION_H_

#include <functional>
#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "absl/strings/string_view.h"
#include "storage/database/keyed_connection.h"

namespace priorityd::storage {

// One connection through libpqxx. The server closes it and releases its locks about 15 s after the
// last packet from this host; this host closes it as long after the last packet from the server.
// Not thread-safe.
class Connection {
 public:
  // Connects and runs `settings` (statements that end with a semicolon) in addition to those of
  // every connection. Throws libpqxx's exceptions.
  Connection(const std::string& connection_string, const std::string& settings);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  pqxx::connection_base& get() { return connection_; }

  // Identifies the database, the server and its last start: differs after a restart, a failover,
  // and if a database of the same name was created again.
  const std::string& identity() const { return identity_; }

  // Whether the peer of the connection is the server itself: false behind a pooler that uses its
  // own connections.
  bool IsDirect() const { return backend_pid_ == connection_.backendpid(); }

  // Of this connection to the server.
  int socket() const { return connection_.sock(); }

  // Words of a connection string that identify this server, for another connection to it.
  const std::string& server() const { return server_; }

  // The server process of this connection, as of the time of connecting.
  int backend_pid() const { return backend_pid_; }

  // A function that asks the server, on a connection of its own, to cancel the statement that is
  // running, and waits until it has taken the request. Any thread may call it, also without the
  // connection.
  std::function<void()> Canceler() const;

 private:
  // libpqxx writes the server's notices to stderr unless it has a handler for them.
  class NoticeLog : public pqxx::errorhandler {
   public:
    explicit NoticeLog(pqxx::connection_base& connection) : pqxx::errorhandler(connection) {}
    bool operator()(const char message[]) noexcept override;
  };

  KeyedConnection connection_;
  NoticeLog notices_;
  std::string identity_;
  std::string server_;
  int backend_pid_ = 0;
  std::shared_ptr<void> backend_;  // Entry of HasBackend.
};

// Whether the server process of this id, by which a notification names its sender, serves a
// connection of this process with this application_name. Thread-safe.
bool HasBackend(int pid, absl::string_view application_name);

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_CONNECTION_H_
