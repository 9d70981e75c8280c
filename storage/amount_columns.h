// The two columns that a list of amounts or settings is stored in.
#ifndef STORAGE_AMOUNT_COLUMNS_H_
#define STORAGE_AMOUNT_COLUMNS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "storage/amount.h"

namespace priorityd::storage {

std::vector<std::string> Names(const std::vector<NamedAmount>& list);
std::vector<double> Amounts(const std::vector<NamedAmount>& list);

std::vector<int32_t> TresIds(const std::vector<TresAmount>& list);
std::vector<double> Amounts(const std::vector<TresAmount>& list);

std::vector<std::string> Keys(const std::vector<KeyValue>& list);
std::vector<std::string> Values(const std::vector<KeyValue>& list);

}  // namespace priorityd::storage

#endif  // STORAGE_AMOUNT_COLUMNS_H_
