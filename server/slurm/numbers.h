// Numbers as Slurm's files write them: no sign where none is said, no blanks, no
// hexadecimal, no "inf" or "nan".
#ifndef PRIORITYD_SERVER_SLURM_NUMBERS_H_
#define PRIORITYD_SERVER_SLURM_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// Digits only; nothing when it is anything else or above `max`.
std::optional<uint64_t> ReadInteger(absl::string_view text, uint64_t max);

// An amount: digits, or with a suffix K M G T P (any case) also a decimal fraction, as Slurm prints
// halves (1.50T). `unit` is what one of that suffix power is (0 = none). Rounded up to a whole
// number; nothing when it is anything else or above `max`.
std::optional<double> ReadAmount(absl::string_view text, absl::FunctionRef<double(int power)> unit,
                                 double max);

// A count of 32 bits as slurmctld reads it: digits, 0x and hexadecimal digits, a K behind them for
// 1024; UNLIMITED and INFINITE are the largest. Nothing when it is anything else or above `max`.
std::optional<uint64_t> ReadConfInteger(absl::string_view text, uint64_t max);

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
