#include "engine/slurm/conf/service_parameters.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "engine/slurm/conf/site_factor_parameters.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/numbers.h"
#include "engine/slurm/words/purge_age.h"
#include "engine/slurm/words/zone_name.h"

namespace priorityd::slurm {
namespace {

constexpr std::pair<absl::string_view, bool priority::PrivateData::*> kPrivateWords[] = {
    {"accounts", &priority::PrivateData::accounts},
    {"cloud", &priority::PrivateData::cloud},
    {"events", &priority::PrivateData::events},
    {"jobs", &priority::PrivateData::jobs},
    {"nodes", &priority::PrivateData::nodes},
    {"partitions", &priority::PrivateData::partitions},
    {"reservations", &priority::PrivateData::reservations},
    {"usage", &priority::PrivateData::usage},
    {"users", &priority::PrivateData::users}};

// slurmctld searches these anywhere in the value, without their `s`.
bool AddContained(const std::string& lower, priority::PrivateData* read) {
  bool any = false;
  for (const auto& [name, field] : kPrivateWords) {
    if (absl::StrContains(lower, absl::StripSuffix(name, "s"))) read->*field = any = true;
  }
  return any;
}

bool HasPort(absl::string_view value) {
  const size_t colon = value.rfind(':');
  return colon != absl::string_view::npos && colon > 0 &&
         ReadInteger(value.substr(colon + 1), 65535).value_or(0) > 0;
}

}  // namespace

bool IsSlurmSiteFactor(absl::string_view value) {
  return absl::StartsWithIgnoreCase(value, "site_factor/") && !HasPort(value) &&
         !absl::EqualsIgnoreCase(value, "site_factor/none");
}

absl::Status ReadSiteFactorPlugin(absl::string_view value, absl::string_view want,
                                  PolicyDraft& draft) {
  if (value.empty() || absl::EqualsIgnoreCase(value, "site_factor/none")) {
    draft.policy.site_factor_plugin.clear();
    return absl::OkStatus();
  }
  if (IsSlurmSiteFactor(value)) {
    draft.policy.site_factor_plugin.clear();
    return absl::OkStatus();
  }
  if (!HasPort(value)) return Unexpected(value, want);
  draft.policy.site_factor_plugin = std::string(value);
  return absl::OkStatus();
}

std::string WriteSiteFactorPlugin(const priority::Policy& policy) {
  return policy.site_factor_plugin;
}

absl::Status ReadSiteFactorParameters(absl::string_view value, absl::string_view,
                                      PolicyDraft& draft) {
  absl::StatusOr<SiteFactorParameters> parameters = ParseSiteFactorParameters(value);
  if (!parameters.ok()) return parameters.status();
  draft.policy.site_factor_parameters = std::move(parameters->for_service);
  draft.policy.site_factor_timeout = parameters->timeout;
  return absl::OkStatus();
}

std::string WriteSiteFactorParameters(const priority::Policy& policy) {
  return FormatSiteFactorParameters({policy.site_factor_timeout, policy.site_factor_parameters});
}

absl::Status ReadPrivateData(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  priority::PrivateData read;
  for (absl::string_view word : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    word = absl::StripAsciiWhitespace(word);
    if (absl::EqualsIgnoreCase(word, "none")) continue;
    const bool all = absl::EqualsIgnoreCase(word, "all");
    bool known = all;
    for (const auto& [name, field] : kPrivateWords) {
      if (!all && !absl::EqualsIgnoreCase(word, name)) continue;
      read.*field = known = true;
    }
    if (!known) known = AddContained(absl::AsciiStrToLower(word), &read);
    if (!known) {
      draft.losses.push_back(
          absl::StrCat("got ", Quoted(word), ", which slurmctld ignores, want ", want));
    }
  }
  draft.policy.private_data = read;
  return absl::OkStatus();
}

std::string WritePrivateData(const priority::Policy& policy) {
  std::vector<absl::string_view> words;
  for (const auto& [name, field] : kPrivateWords) {
    if (policy.private_data.*field) words.push_back(name);
  }
  return absl::StrJoin(words, ",");
}

absl::Status ReadPurgeJobAfter(absl::string_view value, absl::string_view, PolicyDraft& draft) {
  const absl::StatusOr<priority::PurgeAge> age = ParsePurgeAge(value);
  if (!age.ok()) return age.status();
  draft.policy.purge_job_after = *age;
  return absl::OkStatus();
}

std::string WritePurgeJobAfter(const priority::Policy& policy) {
  return priority::PurgeAgeName(policy.purge_job_after);
}

absl::Status ReadTimeZone(absl::string_view value, absl::string_view want, PolicyDraft& draft) {
  if (FindZone(value, &draft.policy.time_zone)) return absl::OkStatus();
  return Unexpected(value, want);
}

std::string WriteTimeZone(const priority::Policy& policy) { return policy.time_zone.name(); }

}  // namespace priorityd::slurm
