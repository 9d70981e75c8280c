#include "storage/database/row_reader.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::storage {
namespace {

// Pairs the elements of two columns; false if their numbers differ.
template <typename First, typename Second, typename Pairs>
bool Zip(std::vector<First> firsts, std::vector<Second> seconds, Pairs* pairs) {
  pairs->clear();
  if (firsts.size() != seconds.size()) return false;
  pairs->reserve(firsts.size());
  for (size_t i = 0; i < firsts.size(); ++i) {
    pairs->push_back({std::move(firsts[i]), std::move(seconds[i])});
  }
  return true;
}

}  // namespace

std::optional<absl::string_view> RowReader::Next() {
  if (next_ >= columns_.size()) {
    Fail();
    return std::nullopt;
  }
  return columns_.Text(next_++);
}

void RowReader::Fail() {
  if (!status_.ok()) return;
  status_ = absl::InternalError(absl::StrCat("stored row: column ", next_, " cannot be read"));
}

void RowReader::ReadField(std::vector<NamedAmount>* field) {
  std::optional<std::vector<std::string>> names;
  std::optional<std::vector<double>> amounts;
  Read(&names, &amounts);
  if (!Zip(std::move(names).value_or(std::vector<std::string>()),
           std::move(amounts).value_or(std::vector<double>()), field)) {
    Fail();
  }
}

template <typename List>
void RowReader::ReadAmounts(List* field) {
  std::optional<std::vector<int32_t>> ids;
  std::optional<std::vector<double>> amounts;
  Read(&ids, &amounts);
  if (!Zip(std::move(ids).value_or(std::vector<int32_t>()),
           std::move(amounts).value_or(std::vector<double>()), field)) {
    Fail();
  }
}

void RowReader::ReadField(std::vector<TresAmount>* field) { ReadAmounts(field); }

void RowReader::ReadField(TresAmounts* field) { ReadAmounts(field); }

void RowReader::ReadField(std::vector<KeyValue>* field) {
  std::optional<std::vector<std::string>> keys;
  std::optional<std::vector<std::string>> values;
  Read(&keys, &values);
  if (!Zip(std::move(keys).value_or(std::vector<std::string>()),
           std::move(values).value_or(std::vector<std::string>()), field)) {
    Fail();
  }
}

}  // namespace priorityd::storage
