// A record of a member's ledger as a record of the domain's.
#ifndef PRIORITYD_SERVER_DOMAINS_MEMBER_RECORD_H_
#define PRIORITYD_SERVER_DOMAINS_MEMBER_RECORD_H_

#include <cstdint>
#include <map>
#include <string>
#include <variant>

#include "server/usage/price_book.h"
#include "storage/ledger/domain_store.h"
#include "storage/ledger/ledger_store.h"

namespace priorityd::domains {

// The price of the member's charge: its billing-seconds times its UsageFactor.
inline constexpr char kBillingPrice[] = "billing";

// TRES numbers by name, of all clusters.
using TresNumbers = std::map<std::string, int32_t>;

// The source that a member's records have in the domain: `#ID/MEMBER/SOURCE`. The ID is the
// cluster's, so that another cluster of that name has other records. No client can record usage
// with such a source.
std::string SourceInDomain(const storage::DomainMember& member, const std::string& source);

// Billing-seconds per second: the sum of price times amount, times the UsageFactor of the record;
// without prices the member's own charge.
double ChargeOf(const storage::DomainMember& member, const storage::UsageRecord& record,
                const TresNumbers& tres);

// The record in the domain, with the price that the member has now: the submitted fields stay,
// except source, job_id and the names that are charged. It is charged to the (account, user) of the
// domain, or to the account if it has no such user; a rejection names what the domain lacks.
std::variant<storage::UsageRecord, usage::Rejection> InDomain(const storage::DomainMember& member,
                                                              const storage::MemberRecord& of,
                                                              const usage::PriceBook& book,
                                                              const TresNumbers& tres);

}  // namespace priorityd::domains

#endif  // PRIORITYD_SERVER_DOMAINS_MEMBER_RECORD_H_
