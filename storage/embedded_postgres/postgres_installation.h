// Locates PostgreSQL's programs and the operating system user that runs them.
#ifndef STORAGE_EMBEDDED_POSTGRES_POSTGRES_INSTALLATION_H_
#define STORAGE_EMBEDDED_POSTGRES_POSTGRES_INSTALLATION_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace priorityd::storage {

// The directory of `initdb` and `postgres` of `major_version`, or of the newest
// one if that is empty: /usr/lib/postgresql/N/bin, or a folder of PATH that has
// both. FAILED_PRECONDITION, naming the package to install, if there is none.
absl::StatusOr<std::string> FindPostgresPrograms(const std::string& major_version);

// The operating system user that runs PostgreSQL, which refuses to run as root.
class PostgresUser {
 public:
  // The user of this process, or for root the first existing one of priorityd and postgres.
  static absl::StatusOr<PostgresUser> Choose();

  // The first of these users that there is. FAILED_PRECONDITION says how to make one. `nobody` will
  // not do: whatever else runs as nobody would be the database's administrator.
  static absl::StatusOr<PostgresUser> FirstOf(const std::vector<std::string>& names);

  // The words before a command that make it run as this user and end with
  // `signal_name` (such as INT) when the thread that started it ends.
  std::vector<std::string> CommandPrefix(const std::string& signal_name) const;

  // Gives a file or directory to this user.
  absl::Status Own(const std::string& path) const;

  // Whether this process is root and the user is a different one.
  bool IsOther() const { return other_.has_value(); }
  // "" for ourselves.
  std::string name() const { return IsOther() ? other_->name : ""; }

 private:
  struct Account {
    std::string name;
    uid_t uid;
    gid_t gid;
  };

  std::optional<Account> other_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_EMBEDDED_POSTGRES_POSTGRES_INSTALLATION_H_
