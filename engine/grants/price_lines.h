// Price books as lines of the file of own objects:
//
//   PriceBook - 'academic':Currency='EUR':TimeZone='Europe/Berlin':Begin='2026-10-01T00:00:00Z'
//   Price - 'cpu':PerHour='0.011':Hours='20-8':Days='mon,tue,wed,thu,fri'
//   Price - 'cpu':PerHour='0.02'
#ifndef PRIORITYD_ENGINE_GRANTS_PRICE_LINES_H_
#define PRIORITYD_ENGINE_GRANTS_PRICE_LINES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "engine/grants/price_book.h"
#include "engine/grants/price_rule.h"
#include "engine/slurm/dump/dump_line.h"
#include "engine/slurm/words/file_violations.h"

namespace priorityd::grants {

inline constexpr size_t kMaxPriceVersions = 5000;  // Of all price books of a cluster.

// A rule as a line.
std::string PriceLine(const PriceRule& rule);
// INVALID_ARGUMENT as ReadPriceRule; option names in any case.
absl::StatusOr<PriceRule> RuleOfLine(absl::string_view tres,
                                     const std::vector<slurm::DumpOption>& options);

// INVALID_ARGUMENT `got X, want Y`. The zone of an empty name is UTC.
absl::Status CheckCurrency(absl::string_view text);
absl::StatusOr<absl::TimeZone> ReadPriceZone(absl::string_view name);

// The books of a file; lines of other kinds are skipped. INVALID_ARGUMENT with the places of all
// faults: as Import of such a file reports them.
absl::StatusOr<PriceBooks> ReadPriceBooks(const slurm::SourceFile& file);

}  // namespace priorityd::grants

#endif  // PRIORITYD_ENGINE_GRANTS_PRICE_LINES_H_
