#include "engine/priority/site/tres.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace priorityd::priority {
namespace {

constexpr std::array<absl::string_view, 7> kPlainNames = {"cpu",     "mem",  "node", "energy",
                                                          "billing", "vmem", "pages"};
constexpr absl::string_view kGresPrefix = "gres/";
constexpr std::array<absl::string_view, 5> kNamedPrefixes = {kGresPrefix, "license/", "bb/", "fs/",
                                                             "ic/"};

bool IsKnown(absl::string_view name) {
  if (std::find(kPlainNames.begin(), kPlainNames.end(), name) != kPlainNames.end()) return true;
  return std::any_of(kNamedPrefixes.begin(), kNamedPrefixes.end(),
                     [name](absl::string_view prefix) {
                       return absl::StartsWith(name, prefix) && name.size() > prefix.size();
                     });
}

}  // namespace

absl::StatusOr<std::string> CanonicalTresName(absl::string_view name) {
  std::string lower = absl::AsciiStrToLower(name);
  if (IsKnown(lower)) return lower;
  return absl::InvalidArgumentError(
      absl::StrCat("tres: got `", name,
                   "`, want cpu, mem, node, energy, billing, vmem, pages, gres/NAME, "
                   "license/NAME, bb/NAME, fs/NAME or ic/NAME"));
}

bool FitsTresList(absl::string_view name) {
  return std::none_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isspace(static_cast<unsigned char>(c)) ||
           absl::ascii_iscntrl(static_cast<unsigned char>(c)) || c == ',' || c == '=' || c == '|';
  });
}

TresScope TresScopeOf(absl::string_view canonical_name) {
  if (canonical_name == "cpu" || canonical_name == "mem" || canonical_name == "node") {
    return TresScope::kNodeBound;
  }
  if (canonical_name == "billing") return TresScope::kBilling;
  if (absl::StartsWith(canonical_name, kGresPrefix)) return TresScope::kGres;
  return TresScope::kGlobal;
}

}  // namespace priorityd::priority
