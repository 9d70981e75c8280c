#include "server/administration/grants/supposed_grants.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/administration/grants/wanted_grant.h"

namespace priorityd::administration {
namespace {

using grants::StoredGrant;

// Violations with the fields below `field`.
absl::Status Below(const std::string& field, const absl::Status& status) {
  std::vector<errors::FieldViolation> violations = errors::ViolationsOf(status);
  if (violations.empty()) return status;
  for (errors::FieldViolation& violation : violations) {
    violation.field = absl::StrCat(field, ".", violation.field);
  }
  const size_t left_out = errors::ViolationCountOf(status) - violations.size();
  return errors::BadRequestError(errors::ReasonOf(status), violations, left_out);
}

void Take(WantedGrant wanted, StoredGrant* stored) {
  grants::Grant grant = std::move(wanted.settings.grant);
  const grants::Version version = {wanted.effective, grant.versions.back().amount};
  grant.name = wanted.row.name;
  grant.versions = std::move(stored->grant.versions);
  if (wanted.new_amount) grant.versions.push_back(version);
  grant.transfers = std::move(stored->grant.transfers);
  stored->grant = std::move(grant);
  stored->consequence = wanted.settings.consequence;
  stored->measure = std::move(wanted.settings.measure);
  stored->row = std::move(wanted.row);
}

// As UpdateGrants ends them.
void EndLimitsBeside(const storage::Grant& row, grants::GrantBook* book) {
  if (row.by_coordinator) return;
  for (StoredGrant& other : book->grants) {
    if (IsLimitBeside(other, row)) other.row.revoked_at = other.grant.end = other.grant.begin;
  }
}

void Revoke(absl::Time now, StoredGrant* stored) {
  stored->row.revoked_at = now;
  stored->grant.end = std::min(stored->grant.end, now);
}

// A grant of a transfer, which is in force.
absl::StatusOr<StoredGrant*> InForce(const std::string& field, const std::string& name,
                                     absl::Time now, grants::GrantBook* book) {
  auto stored = RequireGrant(book, field, name);
  if (!stored.ok()) return stored.status();
  const grants::Grant& grant = (*stored)->grant;
  if (grant.begin <= now && now < grant.end) return stored;
  return NotInForce(absl::StrCat(field, ": got ", name, ", which is not in force now"));
}

absl::Status SupposeTransfer(const std::string& field, const SupposedTransfer& transfer,
                             absl::Time now, grants::GrantBook* book) {
  const auto from = InForce(absl::StrCat(field, ".from"), transfer.from, now, book);
  if (!from.ok()) return from.status();
  const auto to = InForce(absl::StrCat(field, ".to"), transfer.to, now, book);
  if (!to.ok()) return to.status();
  if (*from == *to || (*from)->row.tres != (*to)->row.tres) {
    return errors::BadRequestError(
        "INVALID_FIELD",
        {{absl::StrCat(field, ".to"),
          absl::StrCat("got ", transfer.to, ", want another grant of ", (*from)->row.tres)}});
  }
  (*from)->grant.transfers.push_back({now, -transfer.amount});
  (*to)->grant.transfers.push_back({now, transfer.amount});
  return absl::OkStatus();
}

}  // namespace

absl::Status SupposeTransfers(absl::Span<const SupposedTransfer> transfers, absl::Time now,
                              grants::GrantBook* book) {
  for (size_t i = 0; i < transfers.size(); ++i) {
    const std::string field = absl::StrCat("grant_transfers[", i, "]");
    absl::Status status = SupposeTransfer(field, transfers[i], now, book);
    if (!status.ok()) return status;
  }
  grants::MakeStacks(book);
  return absl::OkStatus();
}

absl::Status SupposeGrants(absl::Span<const SupposedGrant> grants, const GrantSite& site,
                           absl::Time now, const absl::TimeZone& zone, grants::GrantBook* book) {
  for (size_t i = 0; i < grants.size(); ++i) {
    const SupposedGrant& grant = grants[i];
    const std::string field = absl::StrCat("grants[", i, "]");
    const std::string name = absl::StrCat(field, ".name");
    auto stored = grant.is_revoked ? RequireGrant(book, name, grant.name)
                                   : FindOrAddGrant(book, name, grant.name);
    if (!stored.ok()) return stored.status();
    if (grant.is_revoked) {
      Revoke(now, *stored);
      continue;
    }
    auto wanted = WantGrant({grant.settings, now, zone, name}, site, *book, **stored);
    if (!wanted.ok()) return Below(field, wanted.status());
    EndLimitsBeside(wanted->row, book);
    Take(*std::move(wanted), *stored);
  }
  grants::MakeStacks(book);
  return absl::OkStatus();
}

}  // namespace priorityd::administration
