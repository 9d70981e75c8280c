// A part of an association tree, including everything above it.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_SLICE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_SLICE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/administration/frame/change_list.h"
#include "server/administration/tree/tree_settings.h"
#include "storage/configuration/association_store.h"

namespace priorityd::administration {

inline constexpr char kRootAccount[] = "root";

// Existing associations, which a plan changes in place before they are stored. Contains all
// ancestors of each row; descendants and siblings may be missing.
class TreeSlice {
 public:
  using Row = storage::Association;

  TreeSlice() = default;
  explicit TreeSlice(std::vector<Row> rows);

  // By id. Pointers to rows stay valid.
  const std::map<int64_t, Row>& rows() const { return rows_; }

  // Null if it is not in the slice.
  const Row* Find(const std::string& account, const std::string& user,
                  const std::string& partition) const;
  const Row* Account(const std::string& account) const { return Find(account, "", ""); }
  const Row* ById(int64_t id) const;
  // Null for root.
  const Row* Parent(const Row& row) const;
  // The number of accounts from root's child down to this one; 0 for root; for a user's
  // association, its account's depth.
  int DepthOf(const Row& account) const;

  // Adds a row, or replaces the values of the row with its id; the name must not change.
  void Put(Row row);
  void Remove(int64_t id);

  // Whether the row is, or is below, one of these accounts; a user's association is below its
  // account.
  bool IsAtOrBelow(const Row& row, const std::set<std::string>& accounts) const;
  // The ids of `rows`, changed ones of the slice, whose parent is another one here.
  std::vector<int64_t> MovedAmong(const std::vector<Row>& rows) const;
  // These and everything below them in the slice, parents before children.
  std::vector<int64_t> WithBelow(const std::vector<int64_t>& ids) const;
  // All rows in depth-first order: parents before children, siblings by id. Without a root, rows
  // without a parent in the slice come first.
  std::vector<int64_t> InTreeOrder() const;

  // The QOS list of `row`, own or inherited; nullopt = none, which allows all.
  std::optional<NameList> QosListOf(const Row& row) const;
  // The inherited list only.
  std::optional<NameList> InheritedQosList(const Row& row) const;
  // Empty = none.
  std::string DefaultQosOf(const Row& row) const;

 private:
  using Name = std::tuple<std::string, std::string, std::string>;

  absl::flat_hash_map<int64_t, std::vector<int64_t>> Children() const;

  std::map<int64_t, Row> rows_;
  absl::flat_hash_map<Name, int64_t> by_name_;
};

bool IsRoot(const storage::Association& row);

ObjectKey KeyOf(const storage::Association& row);
// `account chem`, `user ann account chem` or `user ann account chem partition main`.
std::string ObjectName(const storage::Association& row);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_TREE_SLICE_H_
