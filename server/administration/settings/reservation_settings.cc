#include "server/administration/settings/reservation_settings.h"

#include <cstddef>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/errors/violations.h"
#include "engine/slurm/conf/reservation_words.h"
#include "server/administration/settings/list_setting.h"
#include "server/configuration/stored_rows.h"

namespace priorityd::administration {
namespace {

// As in Slurm, for clocks that differ and for slow typists.
constexpr absl::Duration kLateStart = absl::Minutes(10);

struct WantedReservation {
  std::map<std::string, std::string> cells;  // After the settings.
  std::map<std::string, size_t> setting_of;  // The last setting of each word.
};

absl::Status Take(const std::vector<Setting>& settings, WantedReservation* wanted) {
  const auto set = [wanted](const std::string& name, bool is_list, const Setting& setting) {
    if (name == "Duration") wanted->cells.erase("EndTime");
    if (name == "EndTime") wanted->cells.erase("Duration");
    std::string& cell = wanted->cells[name];
    cell = is_list && setting.op != SettingOperator::kSet ? ChangedNames(cell, setting)
                                                          : setting.value;
    if (cell.empty()) wanted->cells.erase(name);
  };
  return ForEachSetting(settings, slurm::FindReservationWord, set, &wanted->setting_of);
}

// A new start, of which only the future can be reserved.
absl::Status CheckStart(const storage::Reservation& present, const WantedReservation& wanted,
                        absl::Time start, absl::Time now) {
  const auto setting = wanted.setting_of.find("StartTime");
  if (setting == wanted.setting_of.end() || start == present.start_time) return absl::OkStatus();
  errors::Violations violations;
  const std::string field = absl::StrCat("settings[", setting->second, "].value");
  if (present.id != 0 && present.start_time <= now) {
    violations.Add(field, "StartTime: Reservation already started");
  } else if (start < now - kLateStart) {
    violations.Add(field,
                   "StartTime: Invalid time specified: got one that has passed, want a "
                   "later one");
  }
  return violations.ToStatus();
}

}  // namespace

Attributes AttributesOf(const storage::Reservation& reservation) {
  return reservation.nodes.empty() ? Attributes()
                                   : slurm::ReservationCells(configuration::ToEngine(reservation));
}

Attributes ShownAttributesOf(const storage::Reservation& reservation, absl::Time now) {
  Attributes shown = slurm::ReservationFacts(configuration::ToEngine(reservation), now);
  shown.merge(AttributesOf(reservation));
  return shown;
}

absl::StatusOr<priority::Reservation> ApplySettings(const std::vector<Setting>& settings,
                                                    const storage::Reservation& present,
                                                    absl::Time now) {
  WantedReservation wanted{AttributesOf(present), {}};
  if (absl::Status s = Take(settings, &wanted); !s.ok()) return s;
  auto read = slurm::ReadReservation(present.name, wanted.cells, now);
  if (!read.ok()) return OfSettings(read.status(), wanted.setting_of);
  absl::Status start = CheckStart(present, wanted, read->start, now);
  if (!start.ok()) return start;
  return read;
}

}  // namespace priorityd::administration
