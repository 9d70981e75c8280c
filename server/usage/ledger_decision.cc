#include "server/usage/ledger_decision.h"

#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

namespace priorityd::usage {
namespace {

storage::RecordKey TargetOf(const storage::SubmittedUsage& usage) {
  return {usage.source, usage.replaces_record_id};
}

// The ledger as seen by each record of a batch in turn.
class Ledger {
 public:
  Ledger(absl::Span<const storage::HeldRecord> held, absl::Time horizon, bool others_replace)
      : horizon_(horizon), others_replace_(others_replace) {
    for (const storage::HeldRecord& held_record : held) {
      const auto key = KeyOf(held_record.record.submitted);
      records_.emplace(key, &held_record.record);
      if (held_record.replaced) replaced_.insert(key);
    }
  }

  Outcome Append(const storage::UsageRecord& record, size_t place) {
    const auto found = records_.find(KeyOf(record.submitted));
    if (found != records_.end()) {
      const bool same = found->second->submitted == record.submitted;
      return same ? Outcome::kDuplicate : Outcome::kConflict;
    }
    if (record.association_id == 0) return Outcome::kUnpriced;
    if (!record.submitted.replaces_record_id.empty()) {
      if (const auto fault = Replace(record, place)) return *fault;
    }
    records_.emplace(KeyOf(record.submitted), &record);
    appended_.push_back(&record);
    return Outcome::kNew;
  }

  // REQUIRES: called once, after the last record.
  void Fill(LedgerDecision* decision) && {
    const absl::flat_hash_set<const storage::UsageRecord*> out(taken_out_.begin(),
                                                               taken_out_.end());
    const absl::flat_hash_set<const storage::UsageRecord*> in(appended_.begin(), appended_.end());
    for (const storage::UsageRecord* record : appended_) {
      if (!out.contains(record)) decision->counted.push_back(record);
    }
    for (const storage::UsageRecord* record : taken_out_) {
      if (!in.contains(record)) decision->replaced.push_back(record);
    }
    decision->inserted = std::move(appended_);
    decision->by_another = std::move(by_another_);
  }

 private:
  // Removes the record's target, or returns why that is not possible.
  std::optional<Outcome> Replace(const storage::UsageRecord& record, size_t place) {
    const storage::SubmittedUsage& usage = record.submitted;
    const auto target = records_.find(TargetOf(usage));
    if (target == records_.end()) {
      return usage.start_time < horizon_ ? Outcome::kTargetTooOld : Outcome::kUnknownTarget;
    }
    if (target->second->submitted.end_time < horizon_) return Outcome::kTargetTooOld;
    if (replaced_.contains(target->first)) return Outcome::kAlreadyReplaced;
    const std::optional<int32_t>& owner = target->second->recorded_by;
    if (owner.has_value() && owner != record.recorded_by) {
      by_another_.push_back({place, target->second, others_replace_});
      if (!others_replace_) return Outcome::kOtherPrincipal;
    }
    replaced_.insert(target->first);
    taken_out_.push_back(target->second);
    return std::nullopt;
  }

  const absl::Time horizon_;
  const bool others_replace_;
  absl::flat_hash_map<storage::RecordKey, const storage::UsageRecord*> records_;
  absl::flat_hash_set<storage::RecordKey> replaced_;
  Records appended_;
  Records taken_out_;
  std::vector<ByAnother> by_another_;
};

RecordResult Rejected(RejectionReason reason, const char* field, const char* message) {
  return {RecordStatus::kRejected, Rejection{reason, field, message}};
}

}  // namespace

std::vector<storage::RecordKey> WantedKeys(RecordSpan records) {
  absl::flat_hash_set<storage::RecordKey> wanted;
  for (const storage::UsageRecord* record : records) {
    wanted.insert(KeyOf(record->submitted));
    if (!record->submitted.replaces_record_id.empty()) wanted.insert(TargetOf(record->submitted));
  }
  return {wanted.begin(), wanted.end()};
}

LedgerDecision Decide(absl::Span<const storage::HeldRecord> held, RecordSpan records,
                      absl::Time horizon, bool others_replace) {
  Ledger ledger(held, horizon, others_replace);
  LedgerDecision decision;
  decision.outcomes.reserve(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    decision.outcomes.push_back(ledger.Append(*records[i], i));
  }
  std::move(ledger).Fill(&decision);
  return decision;
}

storage::UsageRecord Nothing(const storage::UsageRecord& of, std::string record_id) {
  storage::UsageRecord record = of;
  storage::SubmittedUsage& usage = record.submitted;
  usage.replaces_record_id = std::exchange(usage.record_id, std::move(record_id));
  usage.start_time = usage.end_time;
  usage.tres.clear();
  usage.billing = 0;
  record.billing_rate = 0;
  record.job = nullptr;
  return record;
}

RecordResult ResultOf(Outcome outcome, const RecordResult& unpriced) {
  switch (outcome) {
    case Outcome::kNew:
      return {RecordStatus::kAccepted, std::nullopt};
    case Outcome::kDuplicate:
      return {RecordStatus::kDuplicate, std::nullopt};
    case Outcome::kUnknownTarget:
      return Rejected(RejectionReason::kUnknownRecord, "replaces_record_id",
                      "got one that is not in the ledger, want one of the same source");
    case Outcome::kAlreadyReplaced:
      return Rejected(RejectionReason::kAlreadyReplaced, "replaces_record_id",
                      "got a record that another one has replaced, want that other record");
    case Outcome::kTargetTooOld:
      return Rejected(RejectionReason::kTooOld, "replaces_record_id",
                      "got one that ended before the ledger's horizon, up to which records are "
                      "rolled up, or that was never in the ledger; want one that ended later");
    case Outcome::kOtherPrincipal:
      return Rejected(RejectionReason::kOtherPrincipal, "replaces_record_id",
                      "got one that another principal recorded, want one of your own");
    case Outcome::kUnpriced:
      return unpriced;
    case Outcome::kConflict:
      break;
  }
  return Rejected(RejectionReason::kConflict, "record_id",
                  "got one that is in the ledger with other content, want a new one");
}

}  // namespace priorityd::usage
