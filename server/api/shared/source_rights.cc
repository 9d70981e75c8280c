#include "server/api/shared/source_rights.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/errors/error_details.h"
#include "server/authorization/rights_table.h"
#include "server/queue/state/job_rights.h"

namespace priorityd::rpc {
namespace {

using authorization::RoleSet;
using Names = absl::flat_hash_set<std::string>;

absl::Status NotAllowed(absl::string_view field, const std::string& got, const Caller& caller,
                        absl::string_view want) {
  return errors::WithReason(
      absl::PermissionDeniedError(absl::StrCat(field, ": got \"", absl::CHexEscape(got), "\" from ",
                                               caller.ToString(), ", want ", want)),
      "SOURCE_NOT_ALLOWED");
}

// The sources to which the caller is bound by `roles`; nullopt = unbound.
std::optional<Names> SourcesOf(const Caller& caller, RoleSet roles) {
  RoleSet unbound = caller.roles;
  Names names;
  for (const identity::BoundRoles& line : caller.by_source) {
    unbound = unbound.Without(line.roles);
    if (line.roles.HasAnyOf(roles)) names.insert(line.sources.begin(), line.sources.end());
  }
  if (unbound.HasAnyOf(roles)) return std::nullopt;
  return names;
}

std::vector<std::string> Sorted(const Names& names) {
  std::vector<std::string> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::string ListOf(const Names& names) {
  return absl::StrCat("one of ", absl::StrJoin(Sorted(names), ", "));
}

}  // namespace

absl::StatusOr<JobSource> JobSourceOf(const Caller& caller, const std::string& wanted) {
  if (!caller.speaks_for_all()) return JobSource{queue::SourceOfUser(caller.user()), {}};
  if (queue::IsSourceOfUser(wanted)) {
    return NotAllowed("source", wanted, caller,
                      "one that does not begin with user:, which is that of a user's own jobs");
  }
  std::optional<Names> names = SourcesOf(caller, Caller::kSpeakForAll);
  if (!names.has_value()) return JobSource{wanted, {}};
  if (!names->contains(wanted)) return NotAllowed("source", wanted, caller, ListOf(*names));
  return JobSource{wanted, *std::move(names)};
}

JobSource BoundSource(const Caller& caller) {
  if (!caller.speaks_for_all()) return {};
  return {"", SourcesOf(caller, Caller::kSpeakForAll).value_or(Names())};
}

usage::Recorder RecorderOf(const Caller& caller) {
  return {caller.principal.qualified(), caller.ToString()};
}

std::vector<std::string> SourcesBoundBy(const Caller& caller, RoleSet roles) {
  return Sorted(SourcesOf(caller, roles).value_or(Names()));
}

absl::Status CheckSources(const Caller& caller, const ::priority::v1::RecordUsageRequest& request) {
  const std::optional<Names> names = SourcesOf(caller, authorization::kRecorders);
  if (!names.has_value()) return absl::OkStatus();
  for (int i = 0; i < request.records_size(); ++i) {
    const std::string& source = request.records(i).source();
    if (names->contains(source)) continue;
    return NotAllowed(absl::StrCat("records[", i, "].source"), source, caller, ListOf(*names));
  }
  return absl::OkStatus();
}

}  // namespace priorityd::rpc
