#include "server/domains/held_records.h"

#include <utility>

#include "absl/strings/match.h"
#include "storage/domain_store.h"

namespace priorityd::domains {
namespace {

bool IsRepricing(const storage::SubmittedUsage& usage) {
  return absl::StartsWith(usage.record_id, storage::kRepricePrefix);
}

}  // namespace

absl::Status HeldRecords::Read(storage::Transaction& transaction, int32_t domain_id,
                               absl::Span<const storage::RecordKey> keys) {
  auto read = storage::LedgerStore(transaction).Find(domain_id, keys);
  if (!read.ok()) return read.status();
  Keep(*std::move(read));
  for (size_t from = 0; from < held_.size();) {
    const size_t end = held_.size();
    if (absl::Status s = ReadPrices(transaction, domain_id, from); !s.ok()) return s;
    from = end;
  }
  return absl::OkStatus();
}

absl::Status HeldRecords::ReadPrices(storage::Transaction& transaction, int32_t domain_id,
                                     size_t from) {
  std::vector<storage::RecordKey> replaced;
  for (size_t i = from; i < held_.size(); ++i) {
    if (held_[i].replaced) replaced.push_back(storage::KeyOf(held_[i].record.submitted));
  }
  auto read = storage::LedgerStore(transaction).FindReplacing(domain_id, replaced);
  if (!read.ok()) return read.status();
  std::erase_if(*read, [this](const storage::HeldRecord& of) {
    const storage::SubmittedUsage& usage = of.record.submitted;
    return !IsRepricing(usage) || places_.contains({usage.source, usage.record_id});
  });
  Keep(*std::move(read));
  return absl::OkStatus();
}

void HeldRecords::Keep(std::vector<storage::HeldRecord> read) {
  for (storage::HeldRecord& of : read) {
    const storage::SubmittedUsage& usage = of.record.submitted;
    Add(usage);
    places_[{usage.source, usage.record_id}] = held_.size();
    held_.push_back(std::move(of));
  }
}

void HeldRecords::Add(const storage::SubmittedUsage& usage) {
  ends_[{usage.source, usage.record_id}] = usage.end_time;
  if (IsRepricing(usage)) newer_[{usage.source, usage.replaces_record_id}] = usage.record_id;
}

const absl::Time* HeldRecords::FindEnd(const Name& name) const {
  const auto found = ends_.find(name);
  return found == ends_.end() ? nullptr : &found->second;
}

HeldRecords::Name HeldRecords::NewestOf(Name name) const {
  for (auto newer = newer_.find(name); newer != newer_.end(); newer = newer_.find(name)) {
    name.second = newer->second;
  }
  return name;
}

const storage::HeldRecord* HeldRecords::Find(const Name& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &held_[found->second];
}

}  // namespace priorityd::domains
