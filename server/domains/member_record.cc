#include "server/domains/member_record.h"

#include "absl/strings/str_cat.h"

namespace priorityd::domains {
namespace {

double AmountOf(const storage::UsageRecord& record, const std::string& tres,
                const TresNumbers& numbers) {
  if (tres == kBillingPrice) return record.billing_rate;
  const auto number = numbers.find(tres);
  if (number == numbers.end()) return 0;
  for (const storage::TresAmount& amount : record.submitted.tres) {
    if (amount.tres_id == number->second) return amount.amount;
  }
  return 0;
}

// The association that is charged. Names are the member's: aliases of the domain are not theirs.
std::variant<usage::Price, usage::Rejection> PriceIn(const usage::PriceBook& book,
                                                     const storage::UsageRecord& record,
                                                     const std::string& account,
                                                     const std::string& user) {
  usage::UsageSubmission submission;
  submission.account = account;
  submission.user = user;
  submission.start_time = record.submitted.start_time;
  submission.end_time = record.submitted.end_time;
  submission.billing = record.billing_rate;
  return book.PriceOfUser(submission);
}

}  // namespace

std::string SourceInDomain(const storage::DomainMember& member, const std::string& source) {
  return absl::StrCat("#", member.cluster_id, "/", member.cluster, "/", source);
}

double ChargeOf(const storage::DomainMember& member, const storage::UsageRecord& record,
                const TresNumbers& tres) {
  if (member.prices.empty()) return record.billing_rate * record.usage_factor;
  double charge = 0;
  for (const storage::NamedAmount& price : member.prices) {
    charge += price.amount * AmountOf(record, price.name, tres);
  }
  return charge * record.usage_factor;
}

std::variant<storage::UsageRecord, usage::Rejection> InDomain(const storage::DomainMember& member,
                                                              const storage::MemberRecord& of,
                                                              const usage::PriceBook& book,
                                                              const TresNumbers& tres) {
  storage::UsageRecord record = of.record;
  storage::SubmittedUsage& usage = record.submitted;
  usage.source = SourceInDomain(member, usage.source);
  if (!usage.job_id.empty()) usage.job_id = absl::StrCat(member.cluster, "/", usage.job_id);
  usage.account = of.account;
  usage.user_name = of.user_name;
  record.billing_rate = ChargeOf(member, of.record, tres);
  record.usage_factor = 1;
  record.qos_id = std::nullopt;
  record.job = nullptr;
  auto price = PriceIn(book, record, of.account, of.user_name);
  const auto* rejection = std::get_if<usage::Rejection>(&price);
  if (rejection != nullptr && rejection->reason == usage::RejectionReason::kUnknownUser) {
    price = PriceIn(book, record, of.account, "");
    rejection = std::get_if<usage::Rejection>(&price);
  }
  if (rejection != nullptr) return *rejection;
  record.association_id = std::get<usage::Price>(price).association_id;
  return record;
}

}  // namespace priorityd::domains
