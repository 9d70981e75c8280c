// The association trees and fair-share figures captured from a real slurmctld.
#ifndef PRIORITYD_TESTS_ORACLE_CAPTURED_TREE_H_
#define PRIORITYD_TESTS_ORACLE_CAPTURED_TREE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "engine/priority/fair_share/association_tree.h"

namespace priorityd {

struct CapturedTree {
  std::vector<priority::Association> associations;
  std::map<int64_t, std::string> own_usage;  // By id; exact decimals.
};

// By name.
std::map<std::string, CapturedTree> ReadCapturedTrees();

// What Slurm showed of one association; unset = not shown.
struct CapturedShare {
  std::optional<double> norm_shares;
  std::optional<double> raw_usage;  // Truncated to an integer.
  std::optional<double> norm_usage;
  std::optional<double> effective_usage;
  std::optional<double> level_fs;
  std::optional<double> fair_share;
};

// By tree and id. `mode` is fairtree, classic_d1, classic_d5 or depthobl.
std::map<std::string, std::map<int64_t, CapturedShare>> ReadCapturedShares(absl::string_view mode);

// `own_usage` as doubles by AssociationIndex.
std::vector<double> OwnUsageColumn(const priority::AssociationTree& tree,
                                   const CapturedTree& captured);

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_ORACLE_CAPTURED_TREE_H_
