// Doubles packed into bytes, bit for bit: 8 bytes each, little-endian.
#ifndef STORAGE_LEDGER_PACKED_DOUBLES_H_
#define STORAGE_LEDGER_PACKED_DOUBLES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace priorityd::storage {

std::string PackDoubles(absl::Span<const double> values);

// nullopt if the bytes are not a multiple of 8.
std::optional<std::vector<double>> UnpackDoubles(absl::string_view bytes);

}  // namespace priorityd::storage

#endif  // STORAGE_LEDGER_PACKED_DOUBLES_H_
