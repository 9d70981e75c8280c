// Slurm's hostlist expressions: `c[01-12,20]n[1-3],login`.
#ifndef PRIORITYD_SERVER_SLURM_HOSTLIST_H_
#define PRIORITYD_SERVER_SLURM_HOSTLIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// Bounds of one expression; beyond them an error, never a long wait.
inline constexpr int64_t kMaxHosts = 1'000'000;
inline constexpr int kMaxHostNameLength = 255;

// How many hosts the expression names; a host named twice counts twice.
// INVALID_ARGUMENT `got "n[1-", want ...`, also beyond the bounds. Empty: 0.
absl::StatusOr<int64_t> CountHosts(absl::string_view expression);

// The hosts in the order of the expression; of several brackets the last one runs
// fastest. A range keeps the width of its lower end: [08-10] is 08, 09, 10. A host
// named twice stands twice. Errors as CountHosts.
absl::StatusOr<std::vector<std::string>> ExpandHostlist(absl::string_view expression);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_HOSTLIST_H_
