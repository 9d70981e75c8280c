#include "server/domains/settlement.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "engine/errors/bounds.h"
#include "server/configuration/find_cluster.h"
#include "server/domains/member_page.h"
#include "storage/configuration/cluster_store.h"
#include "storage/configuration/tres_store.h"
#include "storage/database/status.h"
#include "storage/database/transaction_kind.h"
#include "storage/ledger/domain_store.h"
#include "storage/ledger/ledger_scan.h"

namespace priorityd::domains {
namespace {

using Check = absl::FunctionRef<absl::Status(storage::Transaction&)>;
using Ids = std::vector<int32_t>;  // Of members.

struct Members {
  storage::Cluster domain;
  std::vector<std::string> names;
  std::vector<storage::DomainMember> with_news;
};

absl::StatusOr<Members> ReadMembers(storage::Transaction& transaction, const std::string& domain) {
  Members members;
  auto cluster = configuration::FindCluster(transaction, domain);
  if (!cluster.ok()) return cluster.status();
  members.domain = *std::move(cluster);
  storage::DomainStore store(transaction);
  auto all = store.MembersOf(members.domain.id);
  if (!all.ok() || all->empty()) return all.ok() ? absl::StatusOr<Members>(members) : all.status();
  for (const storage::DomainMember& member : *all) members.names.push_back(member.cluster);
  auto with_news = store.MembersWithNews(members.domain.id);
  if (!with_news.ok()) return with_news.status();
  members.with_news = *std::move(with_news);
  return members;
}

// Another transaction has the member, or the domain, for long.
bool IsHeld(const absl::Status& status) {
  return storage::IsLockTimeout(status) || storage::IsClusterFrozen(status);
}

Ids IdsOf(const LedgerEnds& ends) {
  Ids ids;
  for (const auto& [id, end] : ends) ids.push_back(id);
  return ids;
}

// Settles members of one domain.
class Settler {
 public:
  Settler(storage::Database& database, const storage::Cluster& domain, Check check,
          usage::PriceBooks* books)
      : database_(database), domain_(domain), check_(check), books_(books) {}

  // Settles those of the members that are not locked, with few transactions for all of them;
  // `left` receives the others; after an error all. False: more is left of one of them.
  absl::StatusOr<bool> SettleTogether(const Ids& members, Ids* left) {
    auto complete = SettleUnlocked(members, left);
    if (!complete.ok()) *left = members;
    return complete;
  }

  // Waits for locks on the member. False: more is left.
  absl::StatusOr<bool> SettleAlone(int32_t member) {
    auto end = AwaitEnd(member);
    if (!end.ok()) return end.status();
    Ids left;
    return SettleUpTo({{member, *end}}, /*waits=*/true, &left);
  }

  // The error of the last `check`.
  const absl::Status& refused() const { return refused_; }
  // Another transaction has the domain for long: no member can be settled.
  bool is_domain_held() const { return is_domain_held_; }

 private:
  absl::StatusOr<bool> SettleUnlocked(const Ids& members, Ids* left) {
    auto ends = FindEnds(members);
    if (!ends.ok()) return ends.status();
    for (const int32_t id : members) {
      if (!ends->contains(id)) left->push_back(id);
    }
    return SettleUpTo(*std::move(ends), /*waits=*/false, left);
  }

  // The ends of the members' ledgers; these are locked for a moment. Locked or frozen members are
  // missing.
  absl::StatusOr<LedgerEnds> FindEnds(const Ids& members) {
    return database_.Write([&](storage::Transaction& transaction) -> absl::StatusOr<LedgerEnds> {
      auto locked = storage::ClusterStore(transaction).TryLock(members);
      if (!locked.ok()) return locked.status();
      auto found = storage::LedgerScan(transaction).Ends(*locked);
      if (!found.ok()) return found.status();
      LedgerEnds ends;
      for (size_t i = 0; i < found->size(); ++i) ends[(*locked)[i]] = (*found)[i];
      return ends;
    });
  }

  absl::StatusOr<int64_t> AwaitEnd(int32_t member) {
    return database_.Write([&](storage::Transaction& transaction) -> absl::StatusOr<int64_t> {
      absl::Status locked = storage::ClusterStore(transaction).Lock(member);
      if (!locked.ok()) return locked;
      return storage::LedgerScan(transaction).End(member);
    });
  }

  // Gives the domain the TRES of the members, as far as it has room for them.
  absl::Status RegisterTres(const Ids& members) {
    auto lacking = database_.Read([&](storage::Transaction& transaction) {
      return storage::DomainStore(transaction).LackingTres(members, domain_.id);
    });
    if (!lacking.ok() || lacking->empty()) return lacking.status();
    return database_.Write([&](storage::Transaction& transaction) {
      return storage::TresStore(transaction)
          .Register(domain_.id, *lacking, errors::kMaxTresOfCluster)
          .status();
    });
  }

  // By rounds of one page each, in which all have the same room. False: more is left of one.
  absl::StatusOr<bool> SettleUpTo(LedgerEnds ends, bool waits, Ids* left) {
    if (ends.empty()) return true;
    if (absl::Status s = RegisterTres(IdsOf(ends)); !s.ok()) return s;
    RecordsRead records;
    bool is_complete = true;
    while (!ends.empty()) {
      const auto limit = std::max<int64_t>(1, kSettledAtOnce / static_cast<int64_t>(ends.size()));
      auto page = SettleOnePage(ends, limit, waits);
      if (!page.ok()) return page.status();
      for (const int32_t id : IdsOf(ends)) {
        const auto read = page->find(id);
        if (read == page->end()) left->push_back(id);
        if (read != page->end() && read->second == limit) {
          if ((records[id] += limit) < kSettledRound) continue;
          is_complete = false;
        }
        ends.erase(id);
      }
    }
    return is_complete;
  }

  absl::Status LockDomain(storage::Transaction& transaction) {
    const absl::Status locked = storage::ClusterStore(transaction).LockShared(domain_.id);
    is_domain_held_ = IsHeld(locked);
    return locked.ok() ? refused_ = check_(transaction) : locked;
  }

  // The number of records read of each member; those are missing of which the membership is locked.
  absl::StatusOr<RecordsRead> SettleOnePage(const LedgerEnds& ends, int64_t limit, bool waits) {
    const storage::TransactionKind by_key = storage::kUsual.ByKey();
    return database_.Write(
        by_key, [&](storage::Transaction& transaction) -> absl::StatusOr<RecordsRead> {
          if (absl::Status s = LockDomain(transaction); !s.ok()) return s;
          auto book = books_->Current(transaction, domain_.id, domain_.name);
          if (!book.ok()) return book.status();
          storage::DomainStore store(transaction);
          auto members = store.Lock(IdsOf(ends), waits);
          if (!members.ok()) return members.status();
          std::erase_if(*members, [this](const auto& of) { return of.domain_id != domain_.id; });
          auto read = SettlePage(transaction, domain_.id, **book, ends, limit, &*members);
          if (!read.ok()) return read;
          if (absl::Status s = store.SetSettled(*members); !s.ok()) return s;
          return read;
        });
  }

  storage::Database& database_;
  const storage::Cluster& domain_;
  const Check check_;
  usage::PriceBooks* const books_;
  absl::Status refused_;
  bool is_domain_held_ = false;
};

// Ids of at most kSettledTogether of the members, from that place on.
Ids BatchOf(const std::vector<storage::DomainMember>& members, size_t begin) {
  Ids ids;
  const size_t end = std::min(members.size(), begin + kSettledTogether);
  for (size_t i = begin; i < end; ++i) ids.push_back(members[i].cluster_id);
  return ids;
}

// Settles what SettleTogether has left. An error: the database is unavailable.
absl::Status SettleLeft(Settler& settler, const Ids& left, const Members& members,
                        Settlement* settlement) {
  for (const storage::DomainMember& member : members.with_news) {
    if (!absl::c_linear_search(left, member.cluster_id)) continue;
    const auto complete = settler.SettleAlone(member.cluster_id);
    if (!settler.refused().ok()) return settler.refused();
    const absl::Status& status = complete.status();
    if (status.ok() || IsHeld(status)) {
      settlement->is_complete &= complete.value_or(false);
      if (settler.is_domain_held()) return absl::OkStatus();
    } else if (absl::IsUnavailable(status)) {
      return status;
    } else {
      settlement->failed.emplace_back(member.cluster, status);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Settlement> Settle(storage::Database& database, const std::string& domain,
                                  Check check, usage::PriceBooks* books) {
  auto members = database.Read(
      [&](storage::Transaction& transaction) { return ReadMembers(transaction, domain); });
  if (!members.ok()) return members.status();
  Settlement settlement{.members = members->names};
  Settler settler(database, members->domain, check, books);
  for (size_t i = 0; i < members->with_news.size(); i += kSettledTogether) {
    Ids left;
    const auto complete = settler.SettleTogether(BatchOf(members->with_news, i), &left);
    if (!settler.refused().ok()) return settler.refused();
    settlement.is_complete &= complete.value_or(!settler.is_domain_held());
    if (settler.is_domain_held()) return settlement;
    if (absl::IsUnavailable(complete.status()) && !IsHeld(complete.status())) {
      return complete.status();
    }
    absl::Status status = SettleLeft(settler, left, *members, &settlement);
    if (!status.ok()) return status;
    if (settler.is_domain_held()) return settlement;
  }
  return settlement;
}

}  // namespace priorityd::domains
