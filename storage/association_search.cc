#include "storage/association_search.h"

#include "absl/strings/str_cat.h"
#include "storage/column_table.h"
#include "storage/parameter.h"

namespace priorityd::storage {
namespace {

constexpr char kNamed[] =
    "SELECT a.id, a.parent_id FROM priorityd.association a "
    "JOIN unnest($2::text[], $3::text[], $4::text[]) AS n (account, user_name, partition) "
    "ON a.account = n.account AND a.user_name = n.user_name AND a.partition = n.partition "
    "WHERE a.cluster_id = $1 AND a.deleted_at IS NULL";

constexpr char kFitting[] =
    "SELECT id, parent_id FROM priorityd.association WHERE cluster_id = $1 AND deleted_at IS NULL "
    "AND ($2::text[] IS NULL OR account = ANY ($2::text[])) "
    "AND ($3::text[] IS NULL OR user_name = ANY ($3::text[])) "
    "AND ($4::bigint[] IS NULL OR id = ANY ($4::bigint[]))";

constexpr char kBelow[] =
    "UNION SELECT c.id, c.parent_id FROM found f JOIN priorityd.association c "
    "ON c.cluster_id = $1 AND c.parent_id = f.id WHERE c.deleted_at IS NULL";

constexpr char kHasRoot[] =
    "SELECT count(*) FROM priorityd.association WHERE cluster_id = $1 AND account = 'root' "
    "AND user_name = '' AND deleted_at IS NULL";

// What `found` selects, `below` it and all above.
std::string Statement(const char* found, const char* below) {
  return absl::StrCat("WITH RECURSIVE found AS (", found, " ", below, "), ways AS (",
                      "SELECT id, parent_id FROM found UNION SELECT p.id, p.parent_id FROM ways w ",
                      "JOIN priorityd.association p ON p.cluster_id = $1 AND p.id = w.parent_id) ",
                      "SELECT ", AssociationColumns().Selected(), " FROM ",
                      AssociationColumns().Table(),
                      " WHERE cluster_id = $1 AND id IN (SELECT id FROM ways) ORDER BY id");
}

Association Decode(RowReader& row) { return AssociationColumns().Decode(row); }

int64_t DecodeCount(RowReader& row) {
  int64_t count = 0;
  row.Read(&count);
  return count;
}

}  // namespace

absl::StatusOr<std::vector<Association>> AssociationSearch::Named(
    int32_t cluster_id, absl::Span<const AssociationName> names) {
  static const auto* const statement = new std::string(Statement(kNamed, ""));
  const auto column = [&](std::string AssociationName::*field) {
    return Column(names, [field](const AssociationName& name) { return name.*field; });
  };
  return transaction_.Query(Decode, *statement,
                            {cluster_id, column(&AssociationName::account),
                             column(&AssociationName::user), column(&AssociationName::partition)});
}

absl::StatusOr<std::vector<Association>> AssociationSearch::Fitting(int32_t cluster_id,
                                                                    const AssociationSeed& seed,
                                                                    bool with_below) {
  static const auto* const alone = new std::string(Statement(kFitting, ""));
  static const auto* const below = new std::string(Statement(kFitting, kBelow));
  return transaction_.Query(Decode, with_below ? *below : *alone,
                            {cluster_id, seed.accounts, seed.users, seed.ids});
}

absl::StatusOr<bool> AssociationSearch::HasRoot(int32_t cluster_id) {
  auto count = transaction_.QueryOne(DecodeCount, kHasRoot, {cluster_id});
  if (!count.ok()) return count.status();
  return *count > 0;
}

}  // namespace priorityd::storage
