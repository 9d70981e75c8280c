#include "server/administration/grants/grant_change.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "engine/errors/error_details.h"
#include "engine/grants/amount.h"
#include "engine/grants/setting_values.h"
#include "engine/grants/settings.h"
#include "engine/priority/site/tres_sum.h"
#include "server/administration/grants/grant_checks.h"
#include "server/administration/grants/grant_rights.h"
#include "server/administration/grants/wanted_grant.h"
#include "server/grants/settlement.h"
#include "server/grants/standings.h"
#include "server/grants/stored_prices.h"
#include "storage/grants/grant_store.h"

namespace priorityd::administration {
namespace {

using grants::Amount;
using grants::GrantBook;
using grants::StoredGrant;

std::string GrantObject(const std::string& name) { return absl::StrCat("grant ", name); }

// The settings as a change shows them: times in the policy's zone, as they are written.
Attributes Shown(Attributes cells, const GrantAuthor& author) {
  for (const char* name : {"Begin", "End"}) {
    const auto cell = cells.find(name);
    absl::Time time;
    if (cell == cells.end() || !absl::ParseTime(absl::RFC3339_full, cell->second, &time, nullptr)) {
      continue;
    }
    cell->second = absl::FormatTime("%Y-%m-%d%ET%H:%M:%E*S", time, author.zone);
  }
  return cells;
}

// --- Writing ------------------------------------------------------------------------------

// Changes or creates one grant, and notes it in the book.
class GrantUpdate {
 public:
  GrantUpdate(storage::Transaction& transaction, const storage::Cluster& cluster,
              const std::vector<Setting>& settings, const GrantAuthor& author,
              const GrantSite& site, GrantBook* book, ChangeList* list)
      : store_(transaction),
        cluster_(cluster),
        settings_(settings),
        author_(author),
        site_(site),
        book_(*book),
        list_(*list) {}

  // `right`: of a coordinator; null = the author is an operator.
  absl::Status Run(const LimitRight* right, StoredGrant& stored) {
    const Attributes before = stored.row.id == 0 ? Attributes() : AttributesOf(stored);
    if (stored.row.id == 0) stored.row.by_coordinator = right != nullptr;
    const GrantWish wish = {settings_, author_.now, author_.zone, "names"};
    const auto wanted = WantGrant(wish, site_, book_, stored);
    if (!wanted.ok()) return wanted.status();
    if (right != nullptr) {
      absl::Status may = right->CheckWanted(stored.row, wanted->row,
                                            wanted->settings.grant.versions.back().amount);
      if (!may.ok()) return may;
    } else if (absl::Status s = EndLimits(wanted->row); !s.ok()) {
      return s;
    }
    Warn(wanted->settings, ChangedBy(book_, wanted->row, author_.now));
    if (stored.row.id == 0 || stored.row.tres != wanted->row.tres) WarnOfTres(wanted->row.tres);
    return Write(*wanted, before, &stored);
  }

 private:
  // Ends the limits of coordinators beside `row`: usage of them would be missing in its windows.
  absl::Status EndLimits(const storage::Grant& row) {
    if (row.by_coordinator) return absl::OkStatus();
    for (StoredGrant& other : book_.grants) {
      if (!IsLimitBeside(other, row)) continue;
      list_.Deleted(GrantObject(other.row.name), Shown(AttributesOf(other), author_));
      list_.Warn(absl::StrCat("grant ", other.row.name,
                              ", which a coordinator made for the owner of ", row.name,
                              ", is revoked from its begin on"));
      other.row.revoked_at = other.grant.end = std::min(other.row.begin_time, author_.now);
      if (absl::Status s = store_.Update(cluster_.id, other.row); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  void Warn(const grants::Settings& wanted, const std::string& changed) {
    using priority::GrantConsequence;
    if (!changed.empty()) {
      list_.Warn(absl::StrCat("Begin: the past windows of grant ", changed,
                              ", of the same owner, change with this one"));
    }
    if (wanted.consequence == GrantConsequence::kDemote && !author_.qos_counts) {
      list_.Warn("Consequence: demote has no effect while PriorityWeightQOS is 0");
    }
    if (wanted.consequence != GrantConsequence::kNone &&
        wanted.grant.end != absl::InfiniteFuture()) {
      list_.Warn("End: after it the Consequence no longer holds, and the owner is not limited");
    }
  }

  void WarnOfTres(const std::string& tres) {
    std::string warning = UnknownTresWarning(site_, tres);
    if (!warning.empty()) list_.Warn(std::move(warning));
  }

  absl::Status Write(const WantedGrant& wanted, const Attributes& before, StoredGrant* stored) {
    const storage::Grant& row = wanted.row;
    const Attributes after = grants::Cells(wanted.settings);
    const bool is_new = stored->row.id == 0;
    if (is_new) {
      list_.Created(GrantObject(row.name), Shown(after, author_));
    } else {
      list_.Updated(GrantObject(row.name), Shown(before, author_), Shown(after, author_));
    }
    absl::Status status;
    if (is_new) {
      auto id = store_.Insert(cluster_.id, row);
      if (!id.ok()) return id.status();
      stored->row = row;
      stored->row.id = *id;
    } else if (!(stored->row == row)) {
      stored->row = row;
      status = store_.Update(cluster_.id, row);
    }
    if (!status.ok() || !wanted.new_amount) return status;
    const Amount amount = wanted.settings.grant.versions.back().amount;
    return store_.AddVersion(cluster_.id, {.grant_id = stored->row.id,
                                           .effective_at = wanted.effective,
                                           .amount = amount.ToDecimal(),
                                           .changed_by = author_.principal,
                                           .comment = author_.comment});
  }

  storage::GrantStore store_;
  const storage::Cluster& cluster_;
  const std::vector<Setting>& settings_;
  const GrantAuthor& author_;
  const GrantSite& site_;
  GrantBook& book_;
  ChangeList& list_;
};

absl::Status CheckInForce(absl::string_view field, const StoredGrant& stored, absl::Time now) {
  if (stored.grant.begin <= now && now < stored.grant.end) return absl::OkStatus();
  return NotInForce(absl::StrCat(field, ": got ", stored.row.name, ", which is not in force now"));
}

// A coordinator relies on the usage of the last recalculation, which a change of the tree undoes.
absl::Status CheckSettled(const StoredGrant& stored, const grants::Pool& pool,
                          const GrantAuthor& author) {
  const bool is_settled = pool.id != 0 && !pool.is_stale;
  if (is_settled || author.rights.is_operator) return absl::OkStatus();
  return RefuseGrant(
      "GRANT_NOT_SETTLED",
      absl::StrCat("from: got ", stored.row.name,
                   ", whose usage the next recalculation sums up, want it after that"));
}

// The present window. REQUIRES: the grant is in force.
absl::StatusOr<grants::Balance> PresentWindow(storage::Transaction& transaction, int32_t cluster_id,
                                              const GrantBook& book, const StoredGrant& stored,
                                              const GrantAuthor& author) {
  const auto is_it = [&](const StoredGrant& other) { return other.row.id == stored.row.id; };
  const GrantBook its = grants::Select(book, is_it);
  auto pools = grants::ReadPools(transaction, cluster_id, its);
  if (!pools.ok()) return pools.status();
  if (absl::Status s = CheckSettled(stored, pools->front(), author); !s.ok()) return s;
  const grants::GrantWindows windows =
      grants::WindowsOf(its, grants::PeriodsOf(*pools), author.zone, author.now);
  return windows[absl::c_find_if(its.grants, is_it) - its.grants.begin()].back();
}

absl::Status CheckPair(const StoredGrant& from, const StoredGrant& to) {
  if (from.row.name == to.row.name) {
    return errors::BadRequestError("INVALID_FIELD",
                                   {{"to", "got the grant of `from`, want another"}});
  }
  if (from.row.tres == to.row.tres) return absl::OkStatus();
  return errors::BadRequestError(
      "INVALID_FIELD",
      {{"to", absl::StrCat("got a grant of TRES ", to.row.tres, ", want one of ", from.row.tres)}});
}

absl::Status CheckLeft(const StoredGrant& from, const std::string& currency,
                       const grants::Balance& window, Amount amount) {
  if (amount <= window.left()) return absl::OkStatus();
  if (priority::IsPrice(from.row.tres)) {
    return RefuseGrant(
        "GRANT_TOO_SMALL",
        absl::StrCat("amount_tres_seconds: got ", grants::MoneyText(amount), " ", currency,
                     ", want at most the ", grants::MoneyText(std::max(Amount(), window.left())),
                     " ", currency, " that are left of grant ", from.row.name));
  }
  return RefuseGrant("GRANT_TOO_SMALL",
                     absl::StrFormat("amount_minutes: got %.15g, want at most the %.15g "
                                     "%s-minutes that are left of grant %s",
                                     amount.minutes(), std::max(0.0, window.left().minutes()),
                                     from.row.tres, from.row.name));
}

}  // namespace

absl::Status CheckGrantBounds(const GrantBook& book) {
  const size_t living = absl::c_count_if(
      book.grants, [](const StoredGrant& stored) { return !stored.row.revoked_at.has_value(); });
  if (living > kMaxGrants || book.grants.size() > kMaxGrantsEver) {
    return RefuseGrant(
        "TOO_MANY_GRANTS",
        absl::StrCat("got ", living, " grants of the cluster and ", book.grants.size(),
                     " with revoked ones, want at most ", kMaxGrants, " and ", kMaxGrantsEver));
  }
  return absl::OkStatus();
}

Attributes AttributesOf(const StoredGrant& stored) {
  return grants::Cells(GrantSettingsOf(stored));
}

absl::Status UpdateGrants(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const std::vector<std::string>& names,
                          const std::vector<Setting>& settings, bool create,
                          const GrantAuthor& author, ChangeList* list) {
  auto book = grants::ReadGrantBook(transaction, cluster.id);
  if (!book.ok()) return book.status();
  auto site = ReadGrantSite(transaction, cluster.id);
  if (!site.ok()) return site.status();
  GrantUpdate update(transaction, cluster, settings, author, *site, &*book, list);
  LimitRight right(author.rights, *book, author.now);
  const bool is_limit = !author.rights.is_operator;
  bool adds_limits = false;
  for (size_t i = 0; i < names.size(); ++i) {
    if (is_limit) {
      absl::Status may = right.CheckMeant(transaction, cluster.id, names[i], settings);
      if (!may.ok()) return may;
    }
    const std::string field = absl::StrCat("names[", i, "]");
    auto stored =
        create ? FindOrAddGrant(&*book, field, names[i]) : RequireGrant(&*book, field, names[i]);
    if (!stored.ok()) return stored.status();
    if (is_limit && (*stored)->row.id == 0) {
      adds_limits = true;
      if (absl::Status s = CheckLimitsKnown(transaction, field); !s.ok()) return s;
    }
    if (absl::Status s = update.Run(is_limit ? &right : nullptr, **stored); !s.ok()) return s;
  }
  if (absl::Status s = CheckGrantBounds(*book); !s.ok() || !adds_limits) return s;
  return CheckLimitBounds(*book, author.share);
}

absl::Status RevokeGrants(storage::Transaction& transaction, const storage::Cluster& cluster,
                          const std::vector<std::string>& names, const GrantAuthor& author,
                          ChangeList* list) {
  auto book = grants::ReadGrantBook(transaction, cluster.id);
  if (!book.ok()) return book.status();
  LimitRight right(author.rights, *book, author.now);
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_limit = !author.rights.is_operator;
    absl::Status may = absl::OkStatus();
    if (is_limit) may = right.CheckMeantToEnd(transaction, cluster.id, names[i], author.share);
    if (!may.ok()) return may;
    auto stored = RequireGrant(&*book, absl::StrCat("names[", i, "]"), names[i]);
    if (!stored.ok()) return stored.status();
    if (is_limit) may = right.CheckRevoked((*stored)->row);
    if (!may.ok()) return may;
    list->Deleted(GrantObject(names[i]), Shown(AttributesOf(**stored), author));
    (*stored)->row.revoked_at = author.now;
    absl::Status status = storage::GrantStore(transaction).Update(cluster.id, (*stored)->row);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status TransferGrant(storage::Transaction& transaction, const storage::Cluster& cluster,
                           const std::string& from, const std::string& to, Amount amount,
                           const GrantAuthor& author, ChangeList* list) {
  auto book = grants::ReadGrantBook(transaction, cluster.id);
  if (!book.ok()) return book.status();
  absl::Status status =
      CheckTransferRight(transaction, cluster.id, author.rights, *book, author.now,
                         FindGrant(&*book, from), FindGrant(&*book, to));
  if (!status.ok()) return status;
  auto giver = RequireGrant(&*book, "from", from);
  if (!giver.ok()) return giver.status();
  auto receiver = RequireGrant(&*book, "to", to);
  if (!receiver.ok()) return receiver.status();
  status = CheckPair(**giver, **receiver);
  if (status.ok()) status = CheckInForce("from", **giver, author.now);
  if (status.ok()) status = CheckInForce("to", **receiver, author.now);
  if (!status.ok()) return status;
  auto window = PresentWindow(transaction, cluster.id, *book, **giver, author);
  if (!window.ok()) return window.status();
  const bool is_money = priority::IsPrice((*giver)->row.tres);
  auto currency = grants::CurrencyOf(transaction, cluster.id, (*giver)->row.tres);
  if (!currency.ok()) return currency.status();
  if (absl::Status s = CheckLeft(**giver, *currency, *window, amount); !s.ok()) return s;
  const std::string text = is_money ? absl::StrCat(grants::MoneyText(amount), " ", *currency)
                                    : absl::StrCat(amount.ToDecimal(), " TRES-seconds");
  list->Updated(GrantObject(from), {}, {{"TransferredTo", absl::StrCat(to, ": ", text)}});
  list->Updated(GrantObject(to), {}, {{"TransferredFrom", absl::StrCat(from, ": ", text)}});
  return storage::GrantStore(transaction)
      .AddTransfer(cluster.id, {.from_id = (*giver)->row.id,
                                .to_id = (*receiver)->row.id,
                                .transferred_at = author.now,
                                .amount = amount.ToDecimal(),
                                .changed_by = author.principal,
                                .comment = author.comment});
}

}  // namespace priorityd::administration
