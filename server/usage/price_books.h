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
#include "storage/database.h"

namespace priorityd::usage {

// Thread-safe.
class PriceBooks {
 public:
  // `database` must outlive this. `parts`: of the names of TRES that one source may add.
  explicit PriceBooks(storage::Database* database, const quotas::Parts& parts = {})
      : database_(database), parts_(parts) {}

  // The book last read, without asking the database once there is one: it may be
  // out of date. NOT_FOUND no such cluster; else the errors of the database.
  absl::StatusOr<std::shared_ptr<const PriceBook>> Latest(const std::string& cluster);

  // The book of what is stored now. Errors as Latest.
  absl::StatusOr<std::shared_ptr<const PriceBook>> AsStored(const std::string& cluster);

  // The book that is right while `transaction` lasts.
  // REQUIRES: the cluster is locked in it, shared at least.
  absl::StatusOr<std::shared_ptr<const PriceBook>> Current(storage::Transaction& transaction,
                                                           int32_t cluster_id,
                                                           const std::string& cluster);

  // Those of a batch, by who named them first.
  struct NamedTres {
    std::string name;
    std::string source;
  };
  struct NumberedTres {
    std::map<std::string, int32_t> numbers;
    std::map<std::string, std::string> refused;  // Why a name has none, where a quota refused it.
  };
  // The numbers of TRES; those that the cluster has not used yet are registered, in their order and
  // in a transaction of their own, as long as it has room for them (see errors::kMaxTresOfCluster)
  // and their source has not added its part. What a source added is counted from the start on.
  absl::StatusOr<NumberedTres> NumberTres(int32_t cluster_id, const std::vector<NamedTres>& tres);

  // Names that sources added since the start, of all clusters together.
  quotas::Usage tres_usage() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The number of a principal, which gets one in a transaction of its own if it has none.
  absl::StatusOr<int32_t> NumberPrincipal(const std::string& name);

 private:
  // As many principals are remembered.
  static constexpr size_t kMaxPrincipals = 10'000;

  // What a book follows from.
  struct Revision {
    int64_t incarnation = 0;                // See storage::Transaction.
    int32_t cluster_id = 0;                 // Another one where it was deleted and made again.
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
  // Forgets what was read of another incarnation of the database.
  void TakeIncarnation(int64_t incarnation) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Null if there is none yet.
  CachedBook Cached(const std::string& cluster) ABSL_LOCKS_EXCLUDED(mutex_);
  // Those of `tres` that the cluster is known to have; `all` = no other one can have a number,
  // for all are there or no more are taken.
  std::map<std::string, int32_t> KnownNumbers(int32_t cluster_id,
                                              const std::vector<NamedTres>& tres, bool* all)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // What sources have added to one cluster.
  struct AddedTres {
    explicit AddedTres(const quotas::Parts& parts);

    quotas::Quota quota;
    std::map<std::string, quotas::Share> shares;  // By source.
  };
  // Those of `tres` that are to be registered: neither known nor refused.
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
