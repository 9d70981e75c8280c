#include "storage/configuration/association_search.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "storage/database/column_table.h"
#include "storage/database/key_range.h"
#include "storage/database/parameter.h"

namespace priorityd::storage {
namespace {

std::string NamedSearch() {
  return absl::StrCat(
      "SELECT a.id, a.parent_id "
      "FROM unnest($2::text[], $3::text[], $4::text[]) AS n (account, user_name, partition) "
      "CROSS JOIN LATERAL (SELECT id, parent_id FROM priorityd.association WHERE cluster_id = $1 "
      "AND account = n.account AND user_name = n.user_name AND deleted_at IS NULL AND ",
      IsByIndex("partition", "n.partition"), ") a");
}

// Of each name, or id, what one index has of it (association_live, association_user, the key,
// association_parent), and of that what fits the other fields. LATERAL with OFFSET 0 keeps the
// planner to that, whatever it thinks of how many there are.
constexpr char kOfAccounts[] =
    "SELECT a.id, a.parent_id FROM (SELECT DISTINCT unnest($2::text[]) AS wanted) n "
    "CROSS JOIN LATERAL (SELECT id, parent_id, user_name FROM priorityd.association "
    "WHERE cluster_id = $1 AND account = n.wanted AND deleted_at IS NULL OFFSET 0) a "
    "WHERE ($3::text[] IS NULL OR a.user_name = ANY ($3::text[])) "
    "AND ($4::bigint[] IS NULL OR a.id = ANY ($4::bigint[]))";
constexpr char kOfUsers[] =
    "SELECT a.id, a.parent_id FROM (SELECT DISTINCT unnest($3::text[]) AS wanted) n "
    "CROSS JOIN LATERAL (SELECT id, parent_id, account FROM priorityd.association "
    "WHERE cluster_id = $1 AND user_name = n.wanted AND deleted_at IS NULL OFFSET 0) a "
    "WHERE ($2::text[] IS NULL OR a.account = ANY ($2::text[])) "
    "AND ($4::bigint[] IS NULL OR a.id = ANY ($4::bigint[]))";
std::string IdSearch() {
  return absl::StrCat(
      "SELECT a.id, a.parent_id FROM (SELECT DISTINCT unnest($4::bigint[]) AS wanted) n "
      "CROSS JOIN LATERAL (SELECT * FROM priorityd.association WHERE cluster_id = $1 AND ",
      IsByIndex("id", "n.wanted"),
      ") a WHERE a.deleted_at IS NULL AND ($2::text[] IS NULL OR a.account = ANY ($2::text[])) "
      "AND ($3::text[] IS NULL OR a.user_name = ANY ($3::text[]))");
}
// Whether one is deleted is asked outside: else indexes of living ones, which know no parents, seem
// as good while there are no statistics.
constexpr char kOfParents[] =
    "SELECT a.id, a.parent_id FROM (SELECT DISTINCT unnest($2::text[]) AS wanted) n "
    "CROSS JOIN LATERAL (SELECT id FROM priorityd.association WHERE cluster_id = $1 "
    "AND account = n.wanted AND user_name = '' AND deleted_at IS NULL OFFSET 0) p "
    "CROSS JOIN LATERAL (SELECT id, parent_id, deleted_at FROM priorityd.association "
    "WHERE cluster_id = $1 AND parent_id = p.id OFFSET 0) a WHERE a.deleted_at IS NULL";
constexpr char kAll[] =
    "SELECT id, parent_id FROM priorityd.association WHERE cluster_id = $1 AND deleted_at IS NULL";

constexpr char kBelow[] =
    "UNION SELECT c.id, c.parent_id FROM found f JOIN priorityd.association c "
    "ON c.cluster_id = $1 AND c.parent_id = f.id WHERE c.deleted_at IS NULL";

constexpr char kOutline[] =
    "SELECT id, parent_id, account, user_name, partition FROM priorityd.association "
    "WHERE cluster_id = $1 AND deleted_at IS NULL ORDER BY id";

constexpr char kLastDeleted[] =
    "SELECT coalesce((SELECT d.id FROM priorityd.association d WHERE d.cluster_id = $1 "
    "AND d.account = n.account AND d.user_name = n.user_name AND d.partition = n.partition "
    "AND d.deleted_at IS NOT NULL ORDER BY d.deleted_at DESC, d.id DESC LIMIT 1), 0) "
    "FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY "
    "AS n (account, user_name, partition, place) ORDER BY n.place";

std::string AnyIdSearch() {
  return absl::StrCat(
      "SELECT a.id, a.parent_id FROM (SELECT DISTINCT unnest($2::bigint[]) AS wanted) n "
      "CROSS JOIN LATERAL (SELECT id, parent_id FROM priorityd.association WHERE cluster_id = $1 "
      "AND ",
      IsByIndex("id", "n.wanted"), ") a");
}

constexpr char kCountAll[] =
    "SELECT count(*) FROM (SELECT FROM priorityd.association WHERE cluster_id = $1 LIMIT $2) a";
constexpr char kCountBelow[] =
    "WITH RECURSIVE below AS (SELECT id FROM priorityd.association WHERE cluster_id = $1 "
    "AND parent_id = $2 UNION ALL SELECT c.id FROM below b JOIN priorityd.association c "
    "ON c.cluster_id = $1 AND c.parent_id = b.id) "
    "SELECT count(*) FROM (SELECT FROM below LIMIT $3) a";

constexpr char kHasRoot[] =
    "SELECT count(*) FROM priorityd.association WHERE cluster_id = $1 AND account = 'root' "
    "AND user_name = '' AND deleted_at IS NULL";

// The rows that `found` selects, those `below` them and all above.
std::string SearchedAssociationStatement(absl::string_view found, const char* below) {
  return absl::StrCat("WITH RECURSIVE found AS (", found, " ", below, "), ways AS (",
                      "SELECT id, parent_id FROM found UNION SELECT p.id, p.parent_id FROM ways w ",
                      "CROSS JOIN LATERAL (SELECT id, parent_id FROM priorityd.association ",
                      "WHERE cluster_id = $1 AND ", IsByIndex("id", "w.parent_id"), ") p) SELECT ",
                      AssociationColumns().Selected(),
                      " FROM (SELECT DISTINCT id AS wanted FROM ways) w CROSS JOIN LATERAL ",
                      "(SELECT * FROM ", AssociationColumns().Table(),
                      " WHERE cluster_id = $1 AND ", IsByIndex("id", "w.wanted"),
                      ") association ORDER BY id");
}

std::vector<Parameter> NameParameters(int32_t cluster_id, absl::Span<const AssociationName> names) {
  const auto column = [&](std::string AssociationName::*field) {
    return Column(names, [field](const AssociationName& name) { return name.*field; });
  };
  return {cluster_id, column(&AssociationName::account), column(&AssociationName::user),
          column(&AssociationName::partition)};
}

Association DecodeOutline(RowReader& row) {
  Association association;
  row.Read(&association.id, &association.parent_id, &association.account, &association.user_name,
           &association.partition);
  return association;
}

}  // namespace

absl::StatusOr<std::vector<Association>> AssociationSearch::Named(
    int32_t cluster_id, absl::Span<const AssociationName> names) {
  static const auto* const statement =
      new std::string(SearchedAssociationStatement(NamedSearch(), ""));
  return transaction_.Query(DecodeTableRow<AssociationColumns>, *statement,
                            NameParameters(cluster_id, names));
}

absl::StatusOr<std::vector<int64_t>> AssociationSearch::LastDeleted(
    int32_t cluster_id, absl::Span<const AssociationName> names) {
  return transaction_.Query(OnlyColumn<int64_t>, kLastDeleted, NameParameters(cluster_id, names));
}

absl::StatusOr<std::vector<Association>> AssociationSearch::WithAbove(
    int32_t cluster_id, const std::vector<int64_t>& ids) {
  static const auto* const statement =
      new std::string(SearchedAssociationStatement(AnyIdSearch(), ""));
  return transaction_.Query(DecodeTableRow<AssociationColumns>, *statement, {cluster_id, ids});
}

absl::StatusOr<std::vector<Association>> AssociationSearch::Fitting(int32_t cluster_id,
                                                                    const AssociationSeed& seed,
                                                                    bool with_below) {
  const char* const below = with_below ? kBelow : "";
  if (seed.parents.has_value()) {
    return transaction_.Query(DecodeTableRow<AssociationColumns>,
                              SearchedAssociationStatement(kOfParents, below),
                              {cluster_id, seed.parents});
  }
  const std::vector<Parameter> fields = {cluster_id, seed.accounts, seed.users, seed.ids};
  if (seed.ids.has_value())
    return transaction_.Query(DecodeTableRow<AssociationColumns>,
                              SearchedAssociationStatement(IdSearch(), below), fields);
  // A user is in few accounts, and an account may have all users.
  const bool by_users = seed.users.has_value() && !absl::c_linear_search(*seed.users, "");
  if (seed.accounts.has_value() && !by_users) {
    return transaction_.Query(DecodeTableRow<AssociationColumns>,
                              SearchedAssociationStatement(kOfAccounts, below), fields);
  }
  if (seed.users.has_value()) {
    return transaction_.Query(DecodeTableRow<AssociationColumns>,
                              SearchedAssociationStatement(kOfUsers, below), fields);
  }
  return transaction_.Query(DecodeTableRow<AssociationColumns>,
                            SearchedAssociationStatement(kAll, below), {cluster_id});
}

absl::StatusOr<std::vector<Association>> AssociationSearch::Outline(int32_t cluster_id) {
  auto rows = transaction_.Query(DecodeOutline, kOutline, {cluster_id});
  if (!rows.ok()) return rows.status();
  for (Association& row : *rows) row.cluster_id = cluster_id;
  return rows;
}

absl::StatusOr<int64_t> AssociationSearch::CountAll(int32_t cluster_id, int64_t most) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountAll, {cluster_id, most});
}

absl::StatusOr<int64_t> AssociationSearch::CountBelow(int32_t cluster_id, int64_t id,
                                                      int64_t most) {
  return transaction_.QueryOne(OnlyColumn<int64_t>, kCountBelow, {cluster_id, id, most});
}

absl::StatusOr<bool> AssociationSearch::HasRoot(int32_t cluster_id) {
  auto count = transaction_.QueryOne(OnlyColumn<int64_t>, kHasRoot, {cluster_id});
  if (!count.ok()) return count.status();
  return *count > 0;
}

}  // namespace priorityd::storage
