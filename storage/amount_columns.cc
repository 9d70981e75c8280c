#include "storage/amount_columns.h"

namespace priorityd::storage {
namespace {

template <typename Row, typename Field>
std::vector<Field> Project(const std::vector<Row>& list, Field Row::*field) {
  std::vector<Field> column;
  column.reserve(list.size());
  for (const Row& row : list) column.push_back(row.*field);
  return column;
}

}  // namespace

std::vector<std::string> Names(const std::vector<NamedAmount>& list) {
  return Project(list, &NamedAmount::name);
}
std::vector<double> Amounts(const std::vector<NamedAmount>& list) {
  return Project(list, &NamedAmount::amount);
}
std::vector<int32_t> TresIds(const std::vector<TresAmount>& list) {
  return Project(list, &TresAmount::tres_id);
}
std::vector<double> Amounts(const std::vector<TresAmount>& list) {
  return Project(list, &TresAmount::amount);
}
std::vector<std::string> Keys(const std::vector<KeyValue>& list) {
  return Project(list, &KeyValue::key);
}
std::vector<std::string> Values(const std::vector<KeyValue>& list) {
  return Project(list, &KeyValue::value);
}

}  // namespace priorityd::storage
