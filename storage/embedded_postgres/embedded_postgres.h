// A PostgreSQL server of our own, in a directory of our own.
//
// <data_dir>/lock            held while the server is ours; holds our pid
// <data_dir>/postgres/       PostgreSQL's data directory
// <data_dir>/postgres.log    the output of the server
// <data_dir>/socket/         its Unix socket; it listens nowhere else. Where
//                            that path is too long for a socket (107 bytes),
//                            a private directory under $XDG_RUNTIME_DIR or
//                            /tmp takes its place.
//
// PostgreSQL refuses to run as root. Started by root, it runs as the first of
// the users priorityd, postgres, nobody that exists; then its directories
// belong to that user, who must be able to reach <data_dir>. Else it runs as
// ourselves. Only that user and root can connect.
//
// Writes are durable: fsync and synchronous_commit stay on.
#ifndef STORAGE_EMBEDDED_POSTGRES_EMBEDDED_POSTGRES_H_
#define STORAGE_EMBEDDED_POSTGRES_EMBEDDED_POSTGRES_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace priorityd::storage {

struct EmbeddedPostgresOptions {
  // Created if missing, with its parents. An absolute or relative path.
  std::string data_dir;
  // false loses data in a power cut: for tests only.
  bool durable = true;
  // The longest time that a start may take, crash recovery included.
  absl::Duration start_timeout = absl::Minutes(5);
};

// Thread-safe. While it lives, a server that dies is started again, after
// 100 ms at first and 5 s at most. A server left over from a program that
// died is stopped before the new one starts; normally it stops by itself, as
// it is notified of its parent's death.
class EmbeddedPostgres {
 public:
  // Returns when the server accepts connections and its database `priorityd`
  // exists. FAILED_PRECONDITION, naming the holder's pid, if another program
  // uses data_dir; else one line that says what was found and what is wanted.
  static absl::StatusOr<std::unique_ptr<EmbeddedPostgres>> Start(EmbeddedPostgresOptions options);

  // Stops the server (fast shutdown: open transactions are rolled back) and
  // waits for it.
  ~EmbeddedPostgres();
  EmbeddedPostgres(const EmbeddedPostgres&) = delete;
  EmbeddedPostgres& operator=(const EmbeddedPostgres&) = delete;

  // For DatabaseOptions::url; the same as long as this object lives.
  std::string Url(const std::string& database = "priorityd") const;

  // The directory of the server's programs, pg_dump and pg_restore among them.
  const std::string& programs() const;

  // The major version that made the data, such as "15".
  std::string major_version() const;

  // Stops the server; data_dir stays locked until the end of this object.
  void Stop();

  // data_dir, absolute and without links.
  const std::string& data_dir() const;

  // UNAVAILABLE, saying why, while the server is being started again.
  absl::Status Check() const;

  // The server's process now; 0 while there is none. REQUIRES, as Check: not stopped.
  int pid() const;

  // The number of restarts of the server since Start.
  int64_t restarts() const;

 private:
  struct Parts;

  explicit EmbeddedPostgres(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_EMBEDDED_POSTGRES_EMBEDDED_POSTGRES_H_
