// A part of an association tree, with the ways up from all of it.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_TREE_SLICE_H_
#define PRIORITYD_SERVER_ADMINISTRATION_TREE_SLICE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/administration/tree_settings.h"
#include "storage/association_store.h"

namespace priorityd::administration {

inline constexpr char kRootAccount[] = "root";

// Living associations, which a plan changes in place before anything is stored. What is above one
// of them is here too, what is below or beside it need not be.
class TreeSlice {
 public:
  using Row = storage::Association;

  TreeSlice() = default;
  explicit TreeSlice(std::vector<Row> rows);

  // By id. Rows stay where they are.
  const std::map<int64_t, Row>& rows() const { return rows_; }

  // Null if there is none here.
  const Row* Find(const std::string& account, const std::string& user,
                  const std::string& partition) const;
  const Row* Account(const std::string& account) const { return Find(account, "", ""); }
  const Row* ById(int64_t id) const;
  // Null for root.
  const Row* Parent(const Row& row) const;
  // Accounts from root's child down to this one; 0 for root, and as its account for a user's.
  int DepthOf(const Row& account) const;

  // Adds a row, or gives that of its id other values; its name stays.
  void Put(Row row);
  void Remove(int64_t id);

  // Whether an account of these, or one below which it stands: a user's association stands below
  // its account.
  bool IsAtOrBelow(const Row& row, const std::set<std::string>& accounts) const;
  // These and all below them that is here, a parent before its children.
  std::vector<int64_t> WithBelow(const std::vector<int64_t>& ids) const;
  // All of them: a parent before what stands below it, siblings by id, and each with all below it
  // before the next. Where the ways lead to no root, what has no parent here stands first.
  std::vector<int64_t> InTreeOrder() const;

  // What holds for `row`, its own or inherited; nullopt = none, which allows all.
  std::optional<NameList> QosListOf(const Row& row) const;
  // The same without its own.
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

// `account chem`, `user ann account chem` or `user ann account chem partition main`.
std::string ObjectName(const storage::Association& row);

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_TREE_SLICE_H_
