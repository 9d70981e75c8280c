// Numbers as Slurm's files write them: no sign where none is said, no blanks, no
// hexadecimal, no "inf" or "nan".
#ifndef PRIORITYD_SERVER_SLURM_NUMBERS_H_
#define PRIORITYD_SERVER_SLURM_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// Digits only; nothing when it is anything else or above `max`.
std::optional<uint64_t> ReadInteger(absl::string_view text, uint64_t max);

// A decimal number, perhaps with a sign and an exponent, as the nearest double;
// nothing when it is anything else or too large for a double.
std::optional<double> ReadDecimal(absl::string_view text);

// The shortest of 6, 15 and 17 digits that ReadDecimal gives back as the same double.
// REQUIRES: finite.
std::string DecimalText(double value);

// All 17 digits of a double.
std::string RoundTripText(double value);

// The power of 1024 that a suffix K M G T P (any case) stands for: 1 to 5; 0 for
// any other character.
int SuffixPower(char suffix);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_NUMBERS_H_
