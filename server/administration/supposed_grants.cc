#include "server/administration/supposed_grants.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "server/administration/wanted_grant.h"

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

}  // namespace

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
