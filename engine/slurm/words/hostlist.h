// Slurm's hostlist expressions: `c[01-12,20]n[1-3],login`.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_HOSTLIST_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_HOSTLIST_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// Bounds of one expression; exceeding one is an error and never takes long.
inline constexpr int64_t kMaxHosts = 1'000'000;
inline constexpr int kMaxHostNameLength = 255;

// The number of hosts in the expression, including duplicates; 0 for an empty one. INVALID_ARGUMENT
// `got "n[1-", want ...`, also beyond the bounds.
absl::StatusOr<int64_t> CountHosts(absl::string_view expression);

// The hosts in the order of the expression, including duplicates; with several brackets, the last
// one varies fastest. Numbers have the width of the lower end of their range: [08-10] is 08, 09,
// 10. Errors as in CountHosts.
absl::StatusOr<std::vector<std::string>> ExpandHostlist(absl::string_view expression);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_HOSTLIST_H_
