#include "storage/configuration/principal_store.h"

#include <utility>

namespace priorityd::storage {
namespace {

// An insert that meets another one waits for its end and finds it.
constexpr char kFindPrincipal[] = "SELECT id FROM priorityd.principal WHERE name = $1";
constexpr char kInsert[] =
    "INSERT INTO priorityd.principal (name) VALUES ($1) "
    "ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id";
constexpr char kNames[] = "SELECT id, name FROM priorityd.principal WHERE id = ANY ($1::integer[])";

int32_t DecodeId(RowReader& row) {
  int32_t id = 0;
  row.Read(&id);
  return id;
}

std::pair<int32_t, std::string> DecodeName(RowReader& row) {
  std::pair<int32_t, std::string> principal;
  row.Read(&principal.first, &principal.second);
  return principal;
}

}  // namespace

absl::StatusOr<int32_t> PrincipalStore::Register(const std::string& name) {
  auto found = transaction_.Query(DecodeId, kFindPrincipal, {name});
  if (!found.ok()) return found.status();
  if (!found->empty()) return found->front();
  auto inserted = transaction_.Query(DecodeId, kInsert, {name});
  if (!inserted.ok()) return inserted.status();
  return inserted->front();
}

absl::StatusOr<std::map<int32_t, std::string>> PrincipalStore::NamesOf(
    const std::vector<int32_t>& ids) {
  auto rows = transaction_.Query(DecodeName, kNames, {ids});
  if (!rows.ok()) return rows.status();
  return std::map<int32_t, std::string>(rows->begin(), rows->end());
}

}  // namespace priorityd::storage
