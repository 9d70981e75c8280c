// How every connection to PostgreSQL is set up.
#ifndef STORAGE_CONNECTION_H_
#define STORAGE_CONNECTION_H_

#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::storage {

// One connection by libpqxx. The server gives it up, with its locks, some 15 s after the
// last packet from this host, and this host as long after the last one from the server.
// Not thread-safe.
class Connection {
 public:
  // Connects, and runs `settings`, statements that end with a semicolon, beside those that
  // every connection wants. Throws what libpqxx throws.
  Connection(const std::string& connection_string, const std::string& settings);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  pqxx::connection& get() { return connection_; }

  // Which database of which server it is, as started last: another text after a restart, a
  // failover, and where a database of the same name was created anew.
  const std::string& identity() const { return identity_; }

  // Whether the server is who answered when this connected: not so behind a pooler that
  // gives out its own connections.
  bool IsDirect() const { return backend_pid_ == connection_.backendpid(); }

  // Of this connection to the server.
  int socket() const { return connection_.sock(); }

  // Words that name this server and no other one, for another connection to it.
  const std::string& server() const { return server_; }

  // The server's process that worked for this when it connected.
  int backend_pid() const { return backend_pid_; }

 private:
  // libpqxx writes the server's notices to stderr unless it has a handler for them.
  class NoticeLog : public pqxx::errorhandler {
   public:
    explicit NoticeLog(pqxx::connection_base& connection) : pqxx::errorhandler(connection) {}
    bool operator()(const char message[]) noexcept override;
  };

  pqxx::connection connection_;
  NoticeLog notices_;
  std::string identity_;
  std::string server_;
  int backend_pid_ = 0;
  std::shared_ptr<void> backend_;  // Entry of HasBackend.
};

// Whether the server's process of this id, which a notification names its sender by, works for a
// connection of this process that was made under this application_name. Thread-safe.
bool HasBackend(int pid, absl::string_view application_name);

}  // namespace priorityd::storage

#endif  // STORAGE_CONNECTION_H_
