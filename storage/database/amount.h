// Small values that are stored as lists in rows of several stores.
#ifndef STORAGE_DATABASE_AMOUNT_H_
#define STORAGE_DATABASE_AMOUNT_H_

#include <cstdint>
#include <string>

#include "absl/container/inlined_vector.h"

namespace priorityd::storage {

// An amount of a TRES by name: a count, a weight or TRES-minutes.
struct NamedAmount {
  std::string name;
  double amount = 0;
  bool operator==(const NamedAmount&) const = default;
};

// An amount of a TRES by its number (see TresStore): a count or TRES-seconds.
struct TresAmount {
  int32_t tres_id = 0;
  double amount = 0;
  bool operator==(const TresAmount&) const = default;
};

// The amounts of one of many rows: mostly few TRES, which then need no memory of their own.
using TresAmounts = absl::InlinedVector<TresAmount, 4>;

// A setting that is stored as text.
struct KeyValue {
  std::string key;
  std::string value;
  bool operator==(const KeyValue&) const = default;
};

}  // namespace priorityd::storage

#endif  // STORAGE_DATABASE_AMOUNT_H_
