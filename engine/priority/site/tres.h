// Trackable resources (TRES): names, scopes, amounts.
#ifndef PRIORITYD_ENGINE_PRIORITY_SITE_TRES_H_
#define PRIORITYD_ENGINE_PRIORITY_SITE_TRES_H_

#include <string>

#include "absl/container/btree_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::priority {

// Amounts by canonical TRES name. Counts are finite; `mem` and `bb/*` are in MB.
using TresMap = absl::btree_map<std::string, double>;

// The role of a TRES in billing under MAX_TRES and MAX_TRES_GRES (Slurm 25.11,
// priority_multifactor, "Fair-share Factor").
enum class TresScope {
  kNodeBound,  // cpu, mem, node
  kGres,       // gres/*
  kGlobal,     // license/*, bb/*, fs/*, ic/*, energy, vmem, pages
  kBilling,    // billing: the result, never a term
};

// The canonical (lower-case) form of a TRES name: cpu, mem, node, energy, billing, vmem, pages,
// gres/NAME, license/NAME, bb/NAME, fs/NAME or ic/NAME. `gres/gpu` and `gres/gpu:a100` are
// different TRES. INVALID_ARGUMENT for any other type or an empty NAME.
absl::StatusOr<std::string> CanonicalTresName(absl::string_view name);

// Whether a list NAME=COUNT,NAME=COUNT in a table with | between its columns can hold the name: it
// has no spaces, control characters, commas, = and |.
bool FitsTresList(absl::string_view name);

// The error for a name that FitsTresList rejects.
inline constexpr char kUnfitTresName[] =
    "got a name that no list of TRES can hold, want one without spaces, control characters, "
    "commas, = and |";

// The scope of a canonical name.
TresScope TresScopeOf(absl::string_view canonical_name);

}  // namespace priorityd::priority

#endif  // PRIORITYD_ENGINE_PRIORITY_SITE_TRES_H_
