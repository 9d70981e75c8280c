#include "storage/tres_store.h"

#include <utility>

namespace priorityd::storage {
namespace {

constexpr char kList[] = "SELECT name, id FROM priorityd.tres";
constexpr char kRegister[] =
    "INSERT INTO priorityd.tres (name) "
    "SELECT DISTINCT name FROM unnest($1::text[]) AS name "
    "WHERE NOT EXISTS (SELECT FROM priorityd.tres t WHERE t.name = name.name) "
    "ORDER BY name ON CONFLICT (name) DO NOTHING";

std::pair<std::string, int32_t> Decode(RowReader& row) {
  std::pair<std::string, int32_t> tres;
  row.Read(&tres.first, &tres.second);
  return tres;
}

}  // namespace

absl::StatusOr<std::map<std::string, int32_t>> TresStore::List() {
  auto rows = transaction_.Query(Decode, kList);
  if (!rows.ok()) return rows.status();
  return std::map<std::string, int32_t>(rows->begin(), rows->end());
}

absl::StatusOr<std::map<std::string, int32_t>> TresStore::Register(
    const std::vector<std::string>& names) {
  auto registered = transaction_.Execute(kRegister, {names});
  if (!registered.ok()) return registered.status();
  return List();
}

}  // namespace priorityd::storage
