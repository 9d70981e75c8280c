// Numbers in Slurm's files: without blanks, hexadecimal digits, "inf" or "nan", and without a sign,
// unless stated otherwise.
#ifndef PRIORITYD_ENGINE_SLURM_WORDS_NUMBERS_H_
#define PRIORITYD_ENGINE_SLURM_WORDS_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace priorityd::slurm {

// Digits only; nullopt for anything else and above `max`.
std::optional<uint64_t> ReadInteger(absl::string_view text, uint64_t max);

// An amount: digits; with a suffix K M G T P (case-insensitive) also a decimal fraction, as Slurm
// prints (1.50T). `unit`: the suffix power of the base unit (0 = none). Rounded up to a whole
// number; nullopt for anything else and above `max`.
std::optional<double> ReadAmount(absl::string_view text, absl::FunctionRef<double(int power)> unit,
                                 double max);

// A 32-bit count as read by slurmctld: digits, 0x and hexadecimal digits, or 0 and octal digits,
// with an optional + and suffix K for 1024; UNLIMITED and INFINITE are the largest value. nullopt
// for anything else and above `max`.
std::optional<uint64_t> ReadConfInteger(absl::string_view text, uint64_t max);

// Megabytes as Slurm prints them: in the largest unit that leaves at most a half (4000M, 2G,
// 62.50G). ReadAmount reads the same number.
std::string MegabytesText(int64_t megabytes);

// A decimal number with an optional sign and exponent, as the nearest double; nullopt for anything
// else and for numbers too large for a double.
std::optional<double> ReadDecimal(absl::string_view text);

// The number with 6, 15 or 17 digits: the fewest from which ReadDecimal returns the same double.
// REQUIRES: finite.
std::string DecimalText(double value);

// The number with 17 digits.
std::string RoundTripText(double value);

// The power of 1024 of a suffix K M G T P (case-insensitive): 1 to 5; 0 for any other character.
int SuffixPower(char suffix);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_WORDS_NUMBERS_H_
