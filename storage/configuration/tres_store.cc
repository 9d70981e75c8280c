#include "storage/configuration/tres_store.h"

#include <algorithm>
#include <set>
#include <utility>

namespace priorityd::storage {
namespace {

constexpr char kList[] = "SELECT name, id FROM priorityd.tres";
constexpr char kListOf[] =
    "SELECT name, id FROM priorityd.tres WHERE id <= 8 "
    "UNION ALL SELECT t.name, t.id FROM priorityd.cluster_tres c "
    "JOIN priorityd.tres t ON t.id = c.tres_id WHERE c.cluster_id = $1";
constexpr char kLockTres[] = "SELECT pg_advisory_xact_lock(7416, $1::integer)";
constexpr char kRegister[] =
    "INSERT INTO priorityd.tres (name) "
    "SELECT DISTINCT name FROM unnest($1::text[]) AS name "
    "WHERE NOT EXISTS (SELECT FROM priorityd.tres t WHERE t.name = name.name) "
    "ORDER BY name ON CONFLICT (name) DO NOTHING";
constexpr char kGive[] =
    "INSERT INTO priorityd.cluster_tres (cluster_id, tres_id) "
    "SELECT $1::integer, id FROM priorityd.tres WHERE name = ANY ($2::text[])";

std::pair<std::string, int32_t> DecodeTres(RowReader& row) {
  std::pair<std::string, int32_t> tres;
  row.Read(&tres.first, &tres.second);
  return tres;
}

// The first of `names` that are new and for which there is room.
std::vector<std::string> NewOnes(const std::vector<std::string>& names,
                                 const std::map<std::string, int32_t>& known, size_t most) {
  size_t room = most - std::min(most, known.size() - kSlurmsOwnTres);
  std::set<std::string> taken;
  std::vector<std::string> new_ones;
  for (const std::string& name : names) {
    if (room == 0) break;
    if (known.contains(name) || !taken.insert(name).second) continue;
    new_ones.push_back(name);
    --room;
  }
  return new_ones;
}

}  // namespace

absl::StatusOr<std::map<std::string, int32_t>> TresStore::List() {
  auto rows = transaction_.Query(DecodeTres, kList);
  if (!rows.ok()) return rows.status();
  return std::map<std::string, int32_t>(rows->begin(), rows->end());
}

absl::StatusOr<std::map<std::string, int32_t>> TresStore::ListOf(int32_t cluster_id) {
  auto rows = transaction_.Query(DecodeTres, kListOf, {cluster_id});
  if (!rows.ok()) return rows.status();
  return std::map<std::string, int32_t>(rows->begin(), rows->end());
}

absl::StatusOr<std::map<std::string, int32_t>> TresStore::Register(
    int32_t cluster_id, const std::vector<std::string>& names, size_t most) {
  if (auto locked = transaction_.Execute(kLockTres, {cluster_id}); !locked.ok())
    return locked.status();
  auto known = ListOf(cluster_id);
  if (!known.ok()) return known.status();
  const std::vector<std::string> new_ones = NewOnes(names, *known, most);
  if (new_ones.empty()) return known;
  absl::Status status = transaction_.Execute(kRegister, {new_ones}).status();
  if (status.ok()) status = transaction_.Execute(kGive, {cluster_id, new_ones}).status();
  if (!status.ok()) return status;
  return ListOf(cluster_id);
}

}  // namespace priorityd::storage
