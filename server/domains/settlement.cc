#include "server/domains/settlement.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "server/configuration/find_cluster.h"
#include "server/domains/member_record.h"
#include "server/usage/decayed_row.h"
#include "server/usage/ledger_commit.h"
#include "server/usage/ledger_decision.h"
#include "storage/cluster_store.h"
#include "storage/domain_store.h"
#include "storage/ledger_scan.h"
#include "storage/ledger_store.h"
#include "storage/status.h"
#include "storage/tres_store.h"

namespace priorityd::domains {
namespace {

using Check = absl::FunctionRef<absl::Status(storage::Transaction&)>;
using usage::Outcome;

constexpr char kTooOld[] =
    "end_time: got one before the ledger horizon of the domain, up to which its records are rolled "
    "up";
constexpr char kNoTarget[] =
    "replaces_record_id: got a record that the domain refused or rolled up, want one that it has";

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

// The end of the member's ledger; it is locked for a moment.
absl::StatusOr<int64_t> FindEnd(storage::Database& database, int32_t member_id) {
  return database.Write([&](storage::Transaction& transaction) -> absl::StatusOr<int64_t> {
    if (absl::Status s = storage::ClusterStore(transaction).Lock(member_id); !s.ok()) return s;
    return storage::LedgerScan(transaction).End(member_id);
  });
}

// Gives the domain the TRES of the member, as far as it has room for them.
absl::Status RegisterTres(storage::Database& database, int32_t domain_id, int32_t member_id) {
  std::vector<std::string> lacking;
  absl::Status read = database.Read([&](storage::Transaction& transaction) -> absl::Status {
    lacking.clear();
    storage::TresStore store(transaction);
    auto own = store.ListOf(domain_id);
    if (!own.ok()) return own.status();
    auto of_member = store.ListOf(member_id);
    if (!of_member.ok()) return of_member.status();
    for (const auto& [name, number] : *of_member) {
      if (!own->contains(name)) lacking.push_back(name);
    }
    return absl::OkStatus();
  });
  if (!read.ok() || lacking.empty()) return read;
  return database.Write([&](storage::Transaction& transaction) {
    return storage::TresStore(transaction)
        .Register(domain_id, lacking, errors::kMaxTresOfCluster)
        .status();
  });
}

// One page of a member's ledger on its way into the domain's.
class Page {
 public:
  Page(storage::Transaction& transaction, const usage::PriceBook& book,
       storage::DomainMember* member)
      : transaction_(transaction), book_(book), member_(*member) {}

  // The number of records read.
  absl::StatusOr<int64_t> Settle(int64_t end) {
    auto page = storage::DomainStore(transaction_)
                    .ReadLedger(member_.cluster_id, member_.settled_seq, end, kSettledAtOnce);
    if (!page.ok()) return page.status();
    absl::Status status = FindHeld(*page);
    if (status.ok()) status = ReadTres();
    if (!status.ok()) return status;
    for (const storage::MemberRecord& of : *page) Take(of);
    status = Append();
    if (!status.ok()) return status;
    const auto read = static_cast<int64_t>(page->size());
    member_.settled_seq = read == kSettledAtOnce ? page->back().seq : end;
    return read;
  }

 private:
  // By source in the domain and record_id: the end of each record that its ledger has.
  using Ends = std::map<std::pair<std::string, std::string>, absl::Time>;

  // The records of the page, and those that they replace, as far as the domain has them.
  absl::Status FindHeld(const std::vector<storage::MemberRecord>& page) {
    std::vector<storage::UsageRecord> asked;
    for (const storage::MemberRecord& of : page) {
      asked.push_back(of.record);
      asked.back().submitted.source = SourceInDomain(member_, of.record.submitted.source);
    }
    auto held = storage::LedgerStore(transaction_)
                    .Find(member_.domain_id, usage::WantedKeys(usage::PointersTo(asked)));
    if (!held.ok()) return held.status();
    for (const storage::HeldRecord& of : *held) Know(of.record.submitted);
    return absl::OkStatus();
  }

  absl::Status ReadTres() {
    storage::TresStore store(transaction_);
    auto all = store.List();
    if (!all.ok()) return all.status();
    tres_ = *std::move(all);
    auto own = store.ListOf(member_.domain_id);
    if (!own.ok()) return own.status();
    for (const auto& [name, number] : *own) of_domain_.push_back(number);
    std::sort(of_domain_.begin(), of_domain_.end());
    return absl::OkStatus();
  }

  void Know(const storage::SubmittedUsage& usage) {
    known_[{usage.source, usage.record_id}] = usage.end_time;
  }

  // `why` is text without names from outside, or with escaped ones.
  void Refuse(const storage::MemberRecord& of, absl::string_view why) {
    ++member_.refused;
    const std::string id = of.record.submitted.record_id.substr(0, errors::kShownBytes);
    member_.refused_why = absl::StrCat("record ", absl::CHexEscape(id), ": ", why);
  }

  void Take(const storage::MemberRecord& of) {
    const absl::Time end = of.record.submitted.end_time;
    member_.newest_end = std::max(member_.newest_end, end);
    const std::string source = SourceInDomain(member_, of.record.submitted.source);
    if (known_.contains({source, of.record.submitted.record_id})) return;
    const bool is_old = end < std::max(member_.counts_from, book_.ledger_horizon());
    if (is_old && of.record.submitted.replaces_record_id.empty()) {
      if (end >= member_.counts_from) Refuse(of, kTooOld);
      return;
    }
    auto in_domain = InDomain(member_, of, book_, tres_);
    if (const auto* rejection = std::get_if<usage::Rejection>(&in_domain)) {
      Refuse(of, absl::StrCat(rejection->field, ": ", rejection->message));
      return;
    }
    auto& record = std::get<storage::UsageRecord>(in_domain);
    if (!Link(of, is_old, &record.submitted)) return;
    std::erase_if(record.submitted.tres, [this](const storage::TresAmount& amount) {
      return !std::binary_search(of_domain_.begin(), of_domain_.end(), amount.tres_id);
    });
    if (is_old) UseNothing(&record);
    Know(record.submitted);
    taken_.push_back(&of);
    records_.push_back(std::move(record));
  }

  // Whether the record is to be appended. A record that replaces another one needs that one in the
  // domain, so that never both count; or it replaces nothing there, if that one cannot enter the
  // domain any more.
  bool Link(const storage::MemberRecord& of, bool is_old, storage::SubmittedUsage* usage) {
    if (usage->replaces_record_id.empty()) return true;
    const auto target = known_.find({usage->source, usage->replaces_record_id});
    const absl::Time horizon = book_.ledger_horizon();
    if (target != known_.end() && target->second >= horizon) return true;
    const bool can_enter = of.target_end.has_value() && *of.target_end >= member_.counts_from;
    const bool is_rolled_up = target != known_.end() || usage->start_time < horizon;
    if (!can_enter && is_old) return false;
    if (can_enter || is_rolled_up) {
      Refuse(of, kNoTarget);
      return false;
    }
    usage->replaces_record_id.clear();
    return true;
  }

  // It only takes out the record that it replaces.
  void UseNothing(storage::UsageRecord* record) const {
    storage::SubmittedUsage& usage = record->submitted;
    usage.end_time = std::max(usage.end_time, book_.ledger_horizon());
    usage.start_time = usage.end_time;
    usage.tres.clear();
    usage.billing = 0;
    record->billing_rate = 0;
  }

  absl::Status Append() {
    auto outcomes =
        usage::AppendRecords(transaction_, member_.domain_id, usage::PointersTo(records_), book_);
    if (!outcomes.ok()) return outcomes.status();
    for (size_t i = 0; i < outcomes->size(); ++i) {
      if ((*outcomes)[i] == Outcome::kNew) {
        ++member_.counted;
        continue;
      }
      const usage::RecordResult result = usage::ResultOf((*outcomes)[i], {});
      if (!result.rejection.has_value()) continue;
      Refuse(*taken_[i], absl::StrCat(result.rejection->field, ": ", result.rejection->message));
    }
    return absl::OkStatus();
  }

  storage::Transaction& transaction_;
  const usage::PriceBook& book_;
  storage::DomainMember& member_;
  TresNumbers tres_;
  std::vector<int32_t> of_domain_;  // Numbers of its TRES, ascending.
  Ends known_;
  std::vector<storage::UsageRecord> records_;
  std::vector<const storage::MemberRecord*> taken_;  // Of each of them; of the page.
};

// Returns the number of records read; 0 if it is no longer a member.
absl::StatusOr<int64_t> SettlePage(storage::Database& database, const storage::Cluster& domain,
                                   int32_t member_id, int64_t end, Check check,
                                   usage::PriceBooks* books) {
  return database.Write([&](storage::Transaction& transaction) -> absl::StatusOr<int64_t> {
    absl::Status status = storage::ClusterStore(transaction).LockShared(domain.id);
    if (status.ok()) status = check(transaction);
    if (!status.ok()) return status;
    auto book = books->Current(transaction, domain.id, domain.name);
    if (!book.ok()) return book.status();
    storage::DomainStore store(transaction);
    auto member = store.Find(member_id, /*locks=*/true);
    if (!member.ok()) return member.status();
    if (!member->has_value() || (*member)->domain_id != domain.id) return 0;
    if ((*member)->settled_seq >= end) return 0;
    auto read = Page(transaction, **book, &**member).Settle(end);
    if (!read.ok()) return read;
    status = store.SetSettled(**member);
    if (!status.ok()) return status;
    return read;
  });
}

// Whether all of it is settled.
absl::StatusOr<bool> SettleMember(storage::Database& database, const storage::Cluster& domain,
                                  int32_t member_id, Check check, usage::PriceBooks* books) {
  auto end = FindEnd(database, member_id);
  if (!end.ok()) return end.status();
  if (absl::Status s = RegisterTres(database, domain.id, member_id); !s.ok()) return s;
  for (int64_t records = 0; records < kSettledRound;) {
    auto read = SettlePage(database, domain, member_id, *end, check, books);
    if (!read.ok()) return read.status();
    if (*read < kSettledAtOnce) return true;
    records += *read;
  }
  return false;
}

// Another transaction has the member, or the domain, for long.
bool IsHeld(const absl::Status& status) {
  return storage::IsLockTimeout(status) || storage::IsClusterFrozen(status);
}

}  // namespace

absl::StatusOr<Settlement> Settle(storage::Database& database, const std::string& domain,
                                  Check check, usage::PriceBooks* books) {
  auto members = database.Read(
      [&](storage::Transaction& transaction) { return ReadMembers(transaction, domain); });
  if (!members.ok()) return members.status();
  Settlement settlement{.members = std::move(members->names)};
  absl::Status checked;
  const auto watched = [&](storage::Transaction& transaction) {
    return checked = check(transaction);
  };
  for (const storage::DomainMember& member : members->with_news) {
    auto complete = SettleMember(database, members->domain, member.cluster_id, watched, books);
    if (!checked.ok()) return checked;
    const absl::Status& status = complete.status();
    if (status.ok() || IsHeld(status)) {
      settlement.is_complete &= complete.value_or(false);
    } else if (absl::IsUnavailable(status)) {  // The database.
      return status;
    } else {
      settlement.failed.emplace_back(member.cluster, status);
    }
  }
  return settlement;
}

}  // namespace priorityd::domains
