// What the ledger of a domain has of a page of its members' records, each with its newest price.
#ifndef PRIORITYD_SERVER_DOMAINS_HELD_RECORDS_H_
#define PRIORITYD_SERVER_DOMAINS_HELD_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "storage/ledger_store.h"
#include "storage/transaction.h"

namespace priorityd::domains {

// Records are named by their source in the domain and their record_id.
class HeldRecords {
 public:
  using Name = std::pair<std::string, std::string>;

  // Reads the records of these keys, and those that replace them with another price, of the cluster
  // `domain_id`. Call once, first.
  absl::Status Read(storage::Transaction& transaction, int32_t domain_id,
                    absl::Span<const storage::RecordKey> keys);
  // Adds a record that is appended with the page.
  void Add(const storage::SubmittedUsage& usage);

  // The end of the record; null = the domain has none.
  const absl::Time* FindEnd(const Name& name) const;
  // The record that has the newest price of `name`, or itself.
  Name NewestOf(Name name) const;
  // As read; null = it was not.
  const storage::HeldRecord* Find(const Name& name) const;
  // All that were read.
  const std::vector<storage::HeldRecord>& all() const { return held_; }

 private:
  // Reads what replaces the records from this place on with another price.
  absl::Status ReadPrices(storage::Transaction& transaction, int32_t domain_id, size_t from);
  void Keep(std::vector<storage::HeldRecord> read);

  std::vector<storage::HeldRecord> held_;
  std::map<Name, size_t> places_;  // In `held_`.
  std::map<Name, absl::Time> ends_;
  std::map<Name, std::string> newer_;  // The record_id of the next price.
};

}  // namespace priorityd::domains

#endif  // PRIORITYD_SERVER_DOMAINS_HELD_RECORDS_H_
