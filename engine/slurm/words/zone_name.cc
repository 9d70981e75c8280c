#include "engine/slurm/words/zone_name.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace priorityd::slurm {
namespace {

// Zone names are paths below the zone database; no other file may be opened. Each zone has one
// name, as Abseil keeps the zones of all names until the process ends.
bool IsZoneName(absl::string_view text) {
  constexpr size_t kMaxZoneName = 64;
  return !text.empty() && text.size() <= kMaxZoneName && text[0] != '/' &&
         !absl::StrContains(text, "..") && !absl::StrContains(text, "//") &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  absl::StrContains("/_+-", absl::string_view(&c, 1));
         });
}

}  // namespace

bool FindZone(absl::string_view name, absl::TimeZone* zone) {
  return IsZoneName(name) && absl::LoadTimeZone(name, zone);
}

}  // namespace priorityd::slurm
