// The price book of each cluster, kept until its configuration changes.
#ifndef PRIORITYD_SERVER_USAGE_PRICE_BOOKS_H_
#define PRIORITYD_SERVER_USAGE_PRICE_BOOKS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "server/quotas/parts.h"
#include "server/quotas/quota.h"
#include "server/usage/price_book.h"
#include "storage/database/database.h"

namespace priorityd::usage {

// Thread-safe.
class PriceBooks {
 public:
  // `database` must outlive this. `parts`: limits the TRES names that one source may add.
  explicit PriceBooks(storage::Database* database, const quotas::Parts& parts = {})
      : database_(database), parts_(parts) {}

  // The last book read, without a query if there is one: it may be outdated. NOT_FOUND for an
  // unknown cluster; errors of the database.
  absl::StatusOr<std::shared_ptr<const PriceBook>> Latest(const std::string& cluster);

  // The book of the stored configuration. Errors as Latest.
  absl::StatusOr<std::shared_ptr<const PriceBook>> AsStored(const std::string& cluster);

  // The book that is current during `transaction`. REQUIRES: the cluster has at least a shared lock
  // in it.
  absl::StatusOr<std::shared_ptr<const PriceBook>> Current(storage::Transaction& transaction,
                                                           int32_t cluster_id,
                                                           const std::string& cluster);

  // A TRES of a batch, with the first source that named it.
  struct NamedTres {
    std::string name;
    std::string source;
  };
  struct NumberedTres {
    std::map<std::string, int32_t> numbers;
    std::map<std::string, std::string> refused;  // Names refused by a quota, with the reason.
  };
  // The numbers of TRES. TRES new to the cluster are registered, in order and in a separate
  // transaction, while the cluster has room (see errors::kMaxTresOfCluster) and the source has not
  // used up its part. A source's additions count from the start of the process.
  absl::StatusOr<NumberedTres> NumberTres(int32_t cluster_id, const std::vector<NamedTres>& tres);

  // Names that sources added in all clusters since the start.
  quotas::Usage tres_usage() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The number of a principal; a new principal gets one in a separate transaction.
  absl::StatusOr<int32_t> NumberPrincipal(const std::string& name);

 private:
  // The size of the cache of principals.
  static constexpr size_t kMaxPrincipals = 10'000;

  // The source of a book.
  struct Revision {
    int64_t incarnation = 0;                // See storage::Transaction.
    int32_t cluster_id = 0;                 // Changes if the cluster is deleted and created again.
    int64_t configuration = 0;              // See ConfigurationStore.
    std::optional<int64_t> policy_version;  // Of the last recalculation.
    bool operator==(const Revision&) const = default;
  };
  struct CachedBook {
    Revision revision;
    std::shared_ptr<const PriceBook> book;
  };

  static absl::StatusOr<Revision> RevisionOf(storage::Transaction& transaction, int32_t cluster_id);
  static absl::StatusOr<std::shared_ptr<const PriceBook>> Read(storage::Transaction& transaction,
                                                               int32_t cluster_id,
                                                               const std::string& cluster,
                                                               const Revision& revision);
  // Discards data read from another incarnation of the database.
  void TakeIncarnation(int64_t incarnation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Null if there is none.
  CachedBook Cached(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);
  // The known numbers among `tres`; `all` = no other can get a number, since all are known or the
  // cluster is full.
  std::map<std::string, int32_t> KnownNumbers(int32_t cluster_id,
                                              const std::vector<NamedTres>& tres, bool* all)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // TRES names that sources have added to one cluster.
  struct AddedTres {
    explicit AddedTres(const quotas::Parts& parts);

    quotas::Quota quota;
    std::map<std::string, quotas::Share> shares;  // By source.
  };
  // The ones among `tres` to register: neither known nor refused.
  std::vector<NamedTres> ChooseNew(int32_t cluster_id, const std::map<std::string, int32_t>& known,
                                   const std::vector<NamedTres>& tres,
                                   std::map<std::string, std::string>* refused)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteAdded(int32_t cluster_id, const std::vector<NamedTres>& chosen,
                 const std::map<std::string, int32_t>& registered)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  AddedTres& AddedTo(int32_t cluster_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  storage::Database* const database_;
  const quotas::Parts parts_;
  mutable absl::Mutex mutex_;
  int64_t incarnation_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, CachedBook> books_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, int32_t> principals_ ABSL_GUARDED_BY(mutex_);
  // By cluster id.
  absl::flat_hash_map<int32_t, std::map<std::string, int32_t>> tres_numbers_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<int32_t, std::unique_ptr<AddedTres>> added_ ABSL_GUARDED_BY(mutex_);
  uint64_t refused_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace priorityd::usage

#endif  // PRIORITYD_SERVER_USAGE_PRICE_BOOKS_H_
