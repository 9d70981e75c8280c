#include "server/administration/grants/wanted_grant.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "engine/grants/consequence.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/name.h"
#include "server/administration/settings/list_setting.h"

namespace priorityd::administration {
namespace {

using grants::GrantBook;
using grants::StoredGrant;

// Then its Begin is no longer compared with the present.
constexpr absl::Duration kOldGrant = absl::Hours(24 * 3650);

absl::Status UnknownGrant(const std::string& field, const std::string& name) {
  return errors::WithReason(
      absl::NotFoundError(absl::StrCat(field, ": got ", slurm::Quoted(name),
                                       ", want the name of an existing grant")),
      "UNKNOWN_GRANT");
}

absl::Status Revoked(const std::string& field, const StoredGrant& stored) {
  return RefuseGrant("GRANT_REVOKED",
                     absl::StrCat(field, ": got ", stored.row.name, ", which was revoked at ",
                                  absl::FormatTime(*stored.row.revoked_at, absl::UTCTimeZone()),
                                  ", want a grant that is not revoked"));
}

absl::Status CheckNewGrantName(const std::string& field, const std::string& name) {
  absl::Status status = slurm::CheckName({name.data(), name.size()});
  const bool is_one = !name.empty() && name.find_first_of(", ") == std::string::npos;
  if (status.ok() && !is_one) status = slurm::Unexpected(name, "the name of one grant");
  if (status.ok()) return status;
  return errors::BadRequestError("INVALID_FIELD", {{field, std::string(status.message())}});
}

struct GrantWord {
  absl::string_view name;
  bool is_list = false;
};

absl::StatusOr<GrantWord> FindGrantWord(absl::string_view name) {
  auto found = grants::FindSetting(name);
  if (!found.ok()) return found.status();
  return GrantWord{*found, *found == "Accounts"};
}

// The cells after `settings`; `places` has the last setting of each name.
absl::StatusOr<Attributes> Apply(const std::vector<Setting>& settings, Attributes cells,
                                 SettingPlaces* places) {
  const auto set = [&](const std::string& name, bool is_list, const Setting& setting) {
    std::string& cell = cells[name];
    cell = is_list && setting.op != SettingOperator::kSet ? ChangedNames(cell, setting)
                                                          : setting.value;
    if (cell.empty()) cells.erase(name);
  };
  absl::Status status = ForEachSetting(settings, FindGrantWord, set, places);
  if (!status.ok()) return status;
  return cells;
}

// Versions ascend by time.
absl::Time EffectiveAt(const StoredGrant& stored, absl::Time now) {
  if (stored.grant.versions.empty()) return now;
  return std::max(now, stored.grant.versions.back().effective);
}

absl::Status CheckWanted(const GrantWish& wish, const GrantSite& site, const GrantBook& book,
                         const StoredGrant& stored, const WantedGrant& wanted,
                         const SettingPlaces& places) {
  const storage::Grant& row = wanted.row;
  absl::Status status = CheckNames(site, stored.row, wanted.settings, places);
  if (status.ok()) status = CheckKept(stored.row, row, wish.now, places);
  if (status.ok()) status = CheckAlone(book, row, places);
  if (!status.ok() || row.id == 0 || row.end_time > wish.now || stored.grant.end > wish.now) {
    return status;
  }
  return NotInForce(absl::StrCat(wish.field, ": got ", row.name, ", which has ended"));
}

}  // namespace

grants::Settings GrantSettingsOf(const StoredGrant& stored) {
  grants::Settings settings;
  settings.accounts = stored.row.accounts;
  settings.user = stored.row.user_name;
  settings.tres = stored.row.tres;
  settings.grant = stored.grant;
  settings.grant.end = stored.row.end_time;
  settings.consequence = stored.consequence;
  settings.demoted_qos = stored.row.demoted_qos;
  settings.measure = stored.measure;
  return settings;
}

storage::Grant GrantRowOf(const grants::Settings& settings, const storage::Grant& present) {
  const grants::Grant& grant = settings.grant;
  return {.id = present.id,
          .name = present.name,
          .accounts = settings.accounts,
          .user_name = settings.user,
          .tres = settings.tres,
          .begin_time = grant.begin,
          .end_time = grant.end,
          .window_kind = grants::kWindowWords[static_cast<size_t>(grant.window)],
          .rolling_days = grant.rolling_days,
          .carry_over = grant.carry_over,
          .carry_cap = grant.carry_cap,
          .carry_windows = grant.carry_windows,
          .carry_half_life = grant.carry_half_life,
          .borrow = grant.borrow,
          .grace = grant.grace,
          .use_order = grant.order,
          .consequence = grants::kConsequenceWords[static_cast<size_t>(settings.consequence)],
          .demoted_qos = settings.demoted_qos,
          .consequence_value = grants::MeasureText(settings.consequence, settings.measure),
          .by_coordinator = present.by_coordinator};
}

absl::StatusOr<WantedGrant> WantGrant(const GrantWish& wish, const GrantSite& site,
                                      const GrantBook& book, const StoredGrant& stored) {
  const bool is_new = stored.row.id == 0;
  SettingPlaces places;
  auto cells =
      Apply(wish.settings, is_new ? Attributes() : grants::Cells(GrantSettingsOf(stored)), &places);
  if (!cells.ok()) return cells.status();
  // A grant may have begun longer ago than a new one could.
  const bool is_old = !is_new && stored.row.begin_time < wish.now - kOldGrant;
  auto settings = grants::Read(*cells, wish.zone, is_old ? stored.row.begin_time : wish.now);
  if (!settings.ok()) return OfSettings(settings.status(), places);
  WantedGrant wanted = {.row = GrantRowOf(*settings, stored.row), .settings = *std::move(settings)};
  wanted.new_amount =
      is_new || stored.grant.versions.back().amount != wanted.settings.grant.versions.back().amount;
  wanted.effective = EffectiveAt(stored, wish.now);
  if (absl::Status s = CheckWanted(wish, site, book, stored, wanted, places); !s.ok()) return s;
  return wanted;
}

absl::Status RefuseGrant(absl::string_view reason, absl::string_view message) {
  return errors::WithReason(absl::FailedPreconditionError(message), reason);
}

absl::Status NotInForce(absl::string_view what) {
  return RefuseGrant("GRANT_NOT_IN_FORCE", absl::StrCat(what, ", want a grant in force"));
}

StoredGrant* FindGrant(GrantBook* book, const std::string& name) {
  const auto found = absl::c_find_if(
      book->grants, [&](const StoredGrant& stored) { return stored.row.name == name; });
  return found == book->grants.end() ? nullptr : &*found;
}

absl::StatusOr<StoredGrant*> RequireGrant(GrantBook* book, const std::string& field,
                                          const std::string& name) {
  StoredGrant* stored = FindGrant(book, name);
  if (stored == nullptr) return UnknownGrant(field, name);
  if (stored->row.revoked_at.has_value()) return Revoked(field, *stored);
  return stored;
}

absl::StatusOr<StoredGrant*> FindOrAddGrant(GrantBook* book, const std::string& field,
                                            const std::string& name) {
  if (FindGrant(book, name) == nullptr) {
    if (absl::Status s = CheckNewGrantName(field, name); !s.ok()) return s;
    book->grants.emplace_back().row.name = name;
  }
  return RequireGrant(book, field, name);
}

}  // namespace priorityd::administration
