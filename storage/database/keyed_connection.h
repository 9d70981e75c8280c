// A connection of libpqxx that keeps libpq's key for cancel requests.
#ifndef STORAGE_DATABASE_KEYED_CONNECTION_H_
#define STORAGE_DATABASE_KEYED_CONNECTION_H_

#include <memory>
#include <pqxx/pqxx>
#include <string>

struct pg_cancel;  // PGcancel of libpq.

namespace priorityd::storage {

// As pqxx::connection, whose cancel_query reads the connection: another thread must not do that
// while a statement runs. The key is copied once, as the connection is made.
class KeyedConnection : public pqxx::connection_base {
 public:
  // Connects. Throws libpqxx's exceptions.
  explicit KeyedConnection(const std::string& connection_string);
  ~KeyedConnection() noexcept;

  // Never changes; any thread may use it, also without the connection.
  std::shared_ptr<pg_cancel> cancel_key() const { return policy_.key(); }

 private:
  class Policy : public pqxx::connect_direct {
   public:
    using pqxx::connect_direct::connect_direct;
    handle do_startconnect(handle connection) override;
    std::shared_ptr<pg_cancel> key() const { return key_; }

   private:
    std::shared_ptr<pg_cancel> key_;
  };

  Policy policy_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_KEYED_CONNECTION_H_
