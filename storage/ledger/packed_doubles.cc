#include "storage/ledger/packed_doubles.h"

#include <bit>
#include <cstddef>
#include <cstdint>

namespace priorityd::storage {
namespace {

constexpr size_t kDoubleBytes = 8;

double DoubleAt(absl::string_view bytes) {
  uint64_t bits = 0;
  for (size_t i = kDoubleBytes; i-- > 0;) bits = bits << 8 | static_cast<uint8_t>(bytes[i]);
  return std::bit_cast<double>(bits);
}

}  // namespace

std::string PackDoubles(absl::Span<const double> values) {
  std::string bytes;
  bytes.reserve(kDoubleBytes * values.size());
  for (const double value : values) {
    auto bits = std::bit_cast<uint64_t>(value);
    for (size_t i = 0; i < kDoubleBytes; ++i, bits >>= 8) bytes.push_back(static_cast<char>(bits));
  }
  return bytes;
}

std::optional<std::vector<double>> UnpackDoubles(absl::string_view bytes) {
  if (bytes.size() % kDoubleBytes != 0) return std::nullopt;
  std::vector<double> values;
  values.reserve(bytes.size() / kDoubleBytes);
  for (size_t i = 0; i < bytes.size(); i += kDoubleBytes) {
    values.push_back(DoubleAt(bytes.substr(i, kDoubleBytes)));
  }
  return values;
}

}  // namespace priorityd::storage
