#include "server/domains/member_page.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/bounds.h"
#include "server/domains/member_record.h"
#include "server/usage/decayed_row.h"
#include "server/usage/ledger_commit.h"
#include "server/usage/ledger_decision.h"
#include "storage/configuration/tres_store.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::domains {
namespace {

using usage::Outcome;

constexpr char kTooOld[] =
    "end_time: got one before the ledger horizon of the domain, up to which its records are rolled "
    "up";
constexpr char kNoTarget[] =
    "replaces_record_id: got a record that the domain refused or rolled up, want one that it has";

// On its way from the members' ledgers into the domain's.
class Page {
 public:
  Page(storage::Transaction& transaction, int32_t domain_id, const usage::PriceBook& book,
       std::vector<storage::DomainMember>* members)
      : transaction_(transaction), domain_id_(domain_id), book_(book) {
    for (storage::DomainMember& member : *members) members_[member.cluster_id] = &member;
  }

  absl::Status Settle(const std::vector<storage::MemberRecord>& page) {
    absl::Status status = FindHeld(page);
    if (status.ok()) status = ReadTres();
    if (!status.ok()) return status;
    for (const storage::MemberRecord& of : page) Take(of, *members_.at(of.cluster_id));
    return Append();
  }

 private:
  using Member = storage::DomainMember;
  // By source in the domain and record_id: the end of each record that its ledger has.
  using Ends = std::map<std::pair<std::string, std::string>, absl::Time>;

  // The records of the page, and those that they replace, as far as the domain has them.
  absl::Status FindHeld(const std::vector<storage::MemberRecord>& page) {
    std::vector<storage::UsageRecord> asked;
    asked.reserve(page.size());
    for (const storage::MemberRecord& of : page) {
      storage::SubmittedUsage& usage = asked.emplace_back().submitted;
      usage.source = SourceInDomain(*members_.at(of.cluster_id), of.record.submitted.source);
      usage.record_id = of.record.submitted.record_id;
      usage.replaces_record_id = of.record.submitted.replaces_record_id;
    }
    auto held = storage::LedgerStore(transaction_)
                    .Find(domain_id_, usage::WantedKeys(usage::PointersTo(asked)));
    if (!held.ok()) return held.status();
    held_ = *std::move(held);
    for (const storage::HeldRecord& of : held_) Know(of.record.submitted);
    return absl::OkStatus();
  }

  absl::Status ReadTres() {
    storage::TresStore store(transaction_);
    auto all = store.List();
    if (!all.ok()) return all.status();
    tres_ = *std::move(all);
    auto own = store.ListOf(domain_id_);
    if (!own.ok()) return own.status();
    for (const auto& [name, number] : *own) of_domain_.push_back(number);
    std::sort(of_domain_.begin(), of_domain_.end());
    return absl::OkStatus();
  }

  void Know(const storage::SubmittedUsage& usage) {
    known_[{usage.source, usage.record_id}] = usage.end_time;
  }

  // `why` is text without names from outside, or with escaped ones.
  static void Refuse(const storage::MemberRecord& of, absl::string_view why, Member& member) {
    ++member.refused;
    const std::string id = of.record.submitted.record_id.substr(0, errors::kShownBytes);
    member.refused_why = absl::StrCat("record ", absl::CHexEscape(id), ": ", why);
  }

  void Take(const storage::MemberRecord& of, Member& member) {
    const absl::Time end = of.record.submitted.end_time;
    member.newest_end = std::max(member.newest_end, end);
    const std::string source = SourceInDomain(member, of.record.submitted.source);
    if (known_.contains({source, of.record.submitted.record_id})) return;
    const bool is_old = end < std::max(member.counts_from, book_.ledger_horizon());
    if (is_old && of.record.submitted.replaces_record_id.empty()) {
      if (end >= member.counts_from) Refuse(of, kTooOld, member);
      return;
    }
    auto in_domain = InDomain(member, of, book_, tres_);
    if (const auto* rejection = std::get_if<usage::Rejection>(&in_domain)) {
      Refuse(of, absl::StrCat(rejection->field, ": ", rejection->message), member);
      return;
    }
    auto& record = std::get<storage::UsageRecord>(in_domain);
    if (!Link(of, is_old, member, &record.submitted)) return;
    std::erase_if(record.submitted.tres, [this](const storage::TresAmount& amount) {
      return !std::binary_search(of_domain_.begin(), of_domain_.end(), amount.tres_id);
    });
    if (is_old) UseNothing(&record);
    Know(record.submitted);
    taken_.push_back({&of, &member});
    records_.push_back(std::move(record));
  }

  // Whether the record is to be appended. A record that replaces another one needs that one in the
  // domain, so that never both count; or it replaces nothing there, if that one cannot enter the
  // domain any more.
  bool Link(const storage::MemberRecord& of, bool is_old, Member& member,
            storage::SubmittedUsage* usage) {
    if (usage->replaces_record_id.empty()) return true;
    const auto target = known_.find({usage->source, usage->replaces_record_id});
    const absl::Time horizon = book_.ledger_horizon();
    if (target != known_.end() && target->second >= horizon) return true;
    const bool can_enter = of.target_end.has_value() && *of.target_end >= member.counts_from;
    const bool is_rolled_up = target != known_.end() || usage->start_time < horizon;
    if (!can_enter && is_old) return false;
    if (can_enter || is_rolled_up) {
      Refuse(of, kNoTarget, member);
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
        usage::AppendFound(transaction_, domain_id_, held_, usage::PointersTo(records_), book_);
    if (!outcomes.ok()) return outcomes.status();
    for (size_t i = 0; i < outcomes->size(); ++i) {
      if ((*outcomes)[i] == Outcome::kNew) {
        ++taken_[i].member->counted;
        continue;
      }
      const usage::RecordResult result = usage::ResultOf((*outcomes)[i], {});
      if (!result.rejection.has_value()) continue;
      Refuse(*taken_[i].record,
             absl::StrCat(result.rejection->field, ": ", result.rejection->message),
             *taken_[i].member);
    }
    return absl::OkStatus();
  }

  struct Taken {
    const storage::MemberRecord* record;  // Of the page.
    Member* member;
  };

  storage::Transaction& transaction_;
  const int32_t domain_id_;
  const usage::PriceBook& book_;
  std::map<int32_t, Member*> members_;  // By cluster_id.
  TresNumbers tres_;
  std::vector<int32_t> of_domain_;  // Numbers of its TRES, ascending.
  std::vector<storage::HeldRecord> held_;
  Ends known_;
  std::vector<storage::UsageRecord> records_;
  std::vector<Taken> taken_;  // Of each of them.
};

}  // namespace

absl::StatusOr<RecordsRead> SettlePage(storage::Transaction& transaction, int32_t domain_id,
                                       const usage::PriceBook& book, const LedgerEnds& ends,
                                       int64_t limit, std::vector<storage::DomainMember>* members) {
  std::vector<storage::MemberRange> ranges;
  for (const storage::DomainMember& member : *members) {
    ranges.push_back({member.cluster_id, member.settled_seq, ends.at(member.cluster_id)});
  }
  auto page = storage::DomainStore(transaction).ReadLedgers(ranges, limit);
  if (!page.ok()) return page.status();
  absl::Status status = Page(transaction, domain_id, book, members).Settle(*page);
  if (!status.ok()) return status;
  RecordsRead read;
  std::map<int32_t, int64_t> last;
  for (const storage::MemberRecord& of : *page) {
    ++read[of.cluster_id];
    last[of.cluster_id] = of.seq;
  }
  for (storage::DomainMember& member : *members) {
    const int32_t id = member.cluster_id;
    member.settled_seq = read[id] == limit ? last[id] : std::max(member.settled_seq, ends.at(id));
  }
  return read;
}

}  // namespace priorityd::domains
