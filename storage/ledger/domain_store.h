// Usage domains: their members, how far these are settled, and the fair-share that they get.
#ifndef STORAGE_LEDGER_DOMAIN_STORE_H_
#define STORAGE_LEDGER_DOMAIN_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/database/amount.h"
#include "storage/database/transaction.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::storage {

// A cluster whose usage counts in a domain.
struct DomainMember {
  int32_t cluster_id = 0;
  std::string cluster;
  int32_t domain_id = 0;
  std::string domain;
  std::vector<NamedAmount> prices;  // Billing-seconds of the domain for a second of each TRES.
  absl::Time joined_at;             // By the database's clock when it is inserted.
  absl::Time counts_from = absl::InfinitePast();  // Records that end before it do not count.
  int64_t settled_seq = 0;                        // The member's records up to it are settled.
  absl::Time settled_at = absl::InfinitePast();
  absl::Time newest_end = absl::InfinitePast();  // Of the settled records.
  int64_t counted = 0;                           // Records written to the domain's ledger.
  int64_t refused = 0;
  std::string refused_why;  // Of the last one.
  bool operator==(const DomainMember&) const = default;
};

// A part of a member's ledger: the records with a seq above `after` and up to `upto`.
struct MemberRange {
  int32_t cluster_id = 0;
  int64_t after = 0;
  int64_t upto = 0;
};

// A record of a member's ledger, with the association that it is charged to there.
struct MemberRecord {
  int32_t cluster_id = 0;
  int64_t seq = 0;
  UsageRecord record;
  std::string account;
  std::string user_name;
  // The end of the record that it replaces; unset = it replaces none, or one that was rolled up.
  std::optional<absl::Time> target_end;
  bool operator==(const MemberRecord&) const = default;
};

// The names of a domain's associations without a partition.
struct DomainNameColumns {
  std::vector<std::string> accounts;
  std::vector<std::string> user_names;  // Empty = the account itself.
  bool operator==(const DomainNameColumns&) const = default;
};

// The fair-share of these associations, as of one snapshot.
struct DomainShareRow {
  int32_t domain_id = 0;
  std::string domain;
  int64_t generation = 0;
  // The version of the stored names; unset = the row has its own, as before migration 53.
  std::optional<int64_t> names_version;
  DomainNameColumns names;  // Without a version.
  std::vector<double> fair_shares;
  bool operator==(const DomainShareRow&) const = default;
};

// A snapshot of a domain; domain_id 0 = none.
struct DomainGeneration {
  int32_t domain_id = 0;
  int64_t generation = 0;
  bool operator==(const DomainGeneration&) const = default;
};

// The newest snapshot of a domain, for a member.
struct NewestOfDomain {
  DomainGeneration of;
  bool has_grants = false;  // It has standings of grants.
  bool operator==(const NewestOfDomain&) const = default;
};

class DomainStore {
 public:
  explicit DomainStore(Transaction& transaction) : transaction_(transaction) {}

  // Members of all domains, by the names of domain and member.
  absl::StatusOr<std::vector<DomainMember>> List();
  // By name.
  absl::StatusOr<std::vector<DomainMember>> MembersOf(int32_t domain_id);
  // The members of which the ledger has records that are not settled.
  absl::StatusOr<std::vector<DomainMember>> MembersWithNews(int32_t domain_id);
  // The membership of a cluster; `locks`: until the end of the transaction.
  absl::StatusOr<std::optional<DomainMember>> Find(int32_t cluster_id, bool locks = false);
  // The memberships of those clusters that are members, ascending by cluster_id, locked until the
  // end of the transaction. `waits`: for locks of others; otherwise memberships that are locked are
  // missing.
  absl::StatusOr<std::vector<DomainMember>> Lock(const std::vector<int32_t>& cluster_ids,
                                                 bool waits);

  // Inserts the membership, or replaces it; nothing is settled then.
  absl::Status Put(const DomainMember& member);
  // Writes how far they are settled and what came of it. REQUIRES: locked by Lock.
  absl::Status SetSettled(const std::vector<DomainMember>& members);
  // Whether it was a member.
  absl::StatusOr<bool> Remove(int32_t cluster_id);

  // The first `limit` records of each range at most, by cluster_id and seq ascending, also those
  // that others replace.
  absl::StatusOr<std::vector<MemberRecord>> ReadLedgers(const std::vector<MemberRange>& ranges,
                                                        int64_t limit);
  // Names of TRES that one of the clusters has and the domain lacks.
  absl::StatusOr<std::vector<std::string>> LackingTres(const std::vector<int32_t>& cluster_ids,
                                                       int32_t domain_id);

  // Accounts and users of the member that the domain lacks, as `account` or `account/user`; the
  // first `limit` in the order of names, and their number.
  struct Missing {
    int64_t count = 0;
    std::vector<std::string> first;
  };
  absl::StatusOr<Missing> MissingOf(int32_t cluster_id, int32_t domain_id, int64_t limit);

  // A source #ID/NAME/SOURCE of the domain's ledger, with the member's name and another id, of
  // which a record has usage that counts, while the member's ledger has a record of that SOURCE and
  // record_id: it would count twice. Without such records, reads all that count of these sources.
  absl::StatusOr<std::optional<std::string>> CountedByOtherId(const DomainMember& member);

  // Stores the names of snapshots from the generation `version` on.
  absl::Status AppendNames(int32_t domain_id, int64_t version, const DomainNameColumns& names);
  // nullopt if they were deleted.
  absl::StatusOr<std::optional<DomainNameColumns>> FindNames(int32_t domain_id, int64_t version);
  // Writes the shares of a new snapshot, and deletes old ones that no member has published, with
  // names that no other shares have. The name of the row's domain is not written. REQUIRES: the
  // names of its version are stored.
  absl::Status AppendShares(const DomainShareRow& shares);
  // The newest shares of the domain of which the cluster is a member.
  absl::StatusOr<NewestOfDomain> NewestFor(int32_t cluster_id);
  // The generation of the domain's shares in the cluster's newest snapshot.
  absl::StatusOr<DomainGeneration> PublishedFor(int32_t cluster_id);
  // nullopt if they were deleted.
  absl::StatusOr<std::optional<DomainShareRow>> FindShares(const DomainGeneration& of);
  // The first cluster by name of which the newest snapshot has shares of the domain, deleted ones
  // aside.
  absl::StatusOr<std::optional<std::string>> PublisherOf(int32_t domain_id);
  // Sets the generation of the domain's shares in the cluster's newest snapshot. ABORTED if these
  // shares were deleted.
  absl::Status Publish(int32_t cluster_id, const DomainGeneration& of);

 private:
  Transaction& transaction_;
};

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_DOMAIN_STORE_H_
