// The aliases of all clusters, for look-ups that do not wait for the database.
#ifndef PRIORITYD_SERVER_CONFIGURATION_ALIAS_DIRECTORY_H_
#define PRIORITYD_SERVER_CONFIGURATION_ALIAS_DIRECTORY_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/configuration/alias_map.h"
#include "storage/database/database.h"

namespace priorityd::configuration {

// The aliases as of the last Read. Thread-safe.
class AliasDirectory {
 public:
  // `database` must outlive this.
  explicit AliasDirectory(storage::Database* database) : database_(database) {}

  // Reads the versions of all clusters' aliases, and the aliases of those with a new version. While
  // the database does not answer, the aliases stay unchanged.
  absl::Status Read() ABSL_LOCKS_EXCLUDED(reading_, mutex_);

  // Empty for a cluster without aliases; never null.
  std::shared_ptr<const AliasMap> Of(const std::string& cluster) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // The source of a map.
  struct Origin {
    int64_t incarnation = 0;  // See storage::Transaction.
    int32_t cluster_id = 0;
    int64_t version = 0;
    bool operator==(const Origin&) const = default;
  };
  struct Entry {
    Origin origin;
    std::shared_ptr<const AliasMap> aliases;
  };
  using Entries = absl::flat_hash_map<std::string, Entry>;  // By cluster.

  static absl::StatusOr<Entries> ReadEntries(storage::Transaction& transaction,
                                             const Entries& before);
  std::shared_ptr<const Entries> entries() const ABSL_LOCKS_EXCLUDED(mutex_);

  storage::Database* const database_;
  absl::Mutex reading_;  // An earlier Read does not overwrite a later one.
  mutable absl::Mutex mutex_;
  std::shared_ptr<const Entries> entries_ ABSL_GUARDED_BY(mutex_) =
      std::make_shared<const Entries>();
};

}  // namespace priorityd::configuration

#endif  // PRIORITYD_SERVER_CONFIGURATION_ALIAS_DIRECTORY_H_
