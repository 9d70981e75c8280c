#include "server/administration/tree/tree_rights.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/errors/error_details.h"
#include "engine/priority/site/tres.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"
#include "server/administration/settings/from_storage.h"

namespace priorityd::administration {
namespace {

using slurm::AssociationWord;
using slurm::WordKind;
using Row = storage::Association;

constexpr char kAdministrator[] = "Administrator";
constexpr char kPriority[] = "Priority";

// Values that cannot be read are within nothing.
bool IsWithinCount(const std::string& value, const std::string& above, bool is_least) {
  double count = 0;
  double bound = 0;
  if (!absl::SimpleAtod(value, &count) || !absl::SimpleAtod(above, &bound)) return false;
  return is_least ? count >= bound : count <= bound;
}

bool IsWithinTime(const std::string& value, const std::string& above) {
  const absl::StatusOr<absl::Duration> time = slurm::ParseTimeString(value);
  const absl::StatusOr<absl::Duration> bound = slurm::ParseTimeString(above);
  return time.ok() && bound.ok() && *time <= *bound;
}

bool IsWithinTres(const std::string& value, const std::string& above) {
  const auto limits = slurm::ParseTresLimits(value);
  const auto bounds = slurm::ParseTresLimits(above);
  if (!limits.ok() || !bounds.ok()) return false;
  return absl::c_all_of(*limits, [&](const auto& limit) {
    const auto bound = bounds->find(limit.first);
    return bound == bounds->end() || limit.second <= bound->second;
  });
}

// Whether a limit allows no more than one above it.
bool IsWithin(const AssociationWord& word, const std::string& value, const std::string& above) {
  switch (word.kind) {
    case WordKind::kCount:
      return IsWithinCount(value, above, /*is_least=*/word.name == "MinPrioThreshold");
    case WordKind::kTime:
      return IsWithinTime(value, above);
    case WordKind::kTres:
      return IsWithinTres(value, above);
    default:
      return true;
  }
}

bool IsLimit(const AssociationWord& word) {
  const bool has_order = word.kind == WordKind::kCount || word.kind == WordKind::kTime ||
                         word.kind == WordKind::kTres || word.kind == WordKind::kQosList;
  return word.is_set && has_order && word.name != kPriority;
}

// The value in force above a row: of a list, the nearest value of each TRES, as the engine inherits
// them (Limits::Builder::MakeChain). A list that cannot be read is returned as it is.
std::optional<std::string> ValueAbove(const TreeSlice& tree, const AssociationWord& word,
                                      const Row& row) {
  std::optional<priority::TresMap> nearest;
  for (const Row* at = tree.Parent(row); at != nullptr; at = tree.Parent(*at)) {
    auto value = slurm::DumpValue(word, FromStorage(*at));
    if (!value.has_value()) continue;
    if (word.kind != WordKind::kTres) return value;
    absl::StatusOr<priority::TresMap> limits = slurm::ParseTresLimits(*value);
    if (!limits.ok()) return value;
    if (!nearest.has_value()) nearest.emplace();
    nearest->insert(limits->begin(), limits->end());
  }
  if (!nearest.has_value()) return std::nullopt;
  return slurm::TresText(*nearest);
}

bool IsWithinList(const std::optional<NameList>& list, const std::optional<NameList>& above) {
  if (!above.has_value() || above->empty() || !list.has_value()) return true;
  return !list->empty() && absl::c_all_of(*list, [&](const std::string& name) {
    return absl::c_linear_search(*above, name);
  });
}

}  // namespace

absl::Status TreeRights::Denied(absl::string_view what, absl::string_view want) const {
  return errors::WithReason(
      absl::PermissionDeniedError(absl::StrCat(what, ": got ", caller, ", want ", want)),
      "ROLE_REQUIRED");
}

absl::Status TreeRights::CheckRow(const TreeSlice& tree, const Row& row) const {
  if (is_operator) return absl::OkStatus();
  const Row* parent = tree.Parent(row);
  if (parent != nullptr && tree.IsAtOrBelow(*parent, coordinated)) return absl::OkStatus();
  return DeniedUnseen();
}

absl::Status TreeRights::DeniedUnseen() const {
  return Denied("where: associations not below an account that the caller coordinates",
                "an operator, or a coordinator of an account above it");
}

absl::Status TreeRights::CheckParent(const TreeSlice& tree, const Row* parent,
                                     const std::string& name) const {
  if (is_operator) return absl::OkStatus();
  if (parent != nullptr && tree.IsAtOrBelow(*parent, coordinated)) return absl::OkStatus();
  return Denied(absl::StrCat("account ", name), "an operator, or a coordinator of the account");
}

absl::Status TreeRights::CheckLimit(const TreeSlice& tree, const AssociationWord& word,
                                    const Row& after) const {
  if (word.kind == WordKind::kQosList) {
    if (IsWithinList(after.qos, tree.InheritedQosList(after))) return absl::OkStatus();
    return Denied(absl::StrCat(ObjectName(after), " ", word.name),
                  "an operator, or QOS that the account above may use");
  }
  const auto value = slurm::DumpValue(word, FromStorage(after));
  const auto above = ValueAbove(tree, word, after);
  if (!value.has_value() || !above.has_value() || IsWithin(word, *value, *above)) {
    return absl::OkStatus();
  }
  return Denied(absl::StrCat(ObjectName(after), " ", word.name, "=", *value),
                absl::StrCat("an operator, or no more than ", *above, ", which holds above it"));
}

absl::Status TreeRights::CheckWords(const TreeSlice& tree, const TreeSettings& settings,
                                    const Row& after) const {
  if (is_operator) return absl::OkStatus();
  if (settings.resets_usage) return Denied("RawUsage", "an operator");
  for (const WordSetting& setting : settings.words) {
    if (setting.word->name == kPriority) return Denied(kPriority, "an operator");
    if (absl::Status s = CheckLimit(tree, *setting.word, after); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status TreeRights::CheckLimits(const TreeSlice& tree, const Row& row) const {
  if (is_operator) return absl::OkStatus();
  for (const AssociationWord& word : slurm::AssociationWords()) {
    if (!IsLimit(word)) continue;
    if (absl::Status s = CheckLimit(tree, word, row); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status TreeRights::CheckRevived(const TreeSlice& tree, const Row& deleted) const {
  if (is_operator) return absl::OkStatus();
  const Row* above = tree.Parent(deleted);
  while (above != nullptr && above->deleted_at.has_value()) above = tree.Parent(*above);
  if (above != nullptr && tree.IsAtOrBelow(*above, coordinated)) return absl::OkStatus();
  return DeniedName(deleted);
}

absl::Status TreeRights::CheckExisting(const TreeSlice& tree, const Row& row) const {
  if (is_operator || tree.IsAtOrBelow(row, coordinated)) return absl::OkStatus();
  return DeniedName(row);
}

absl::Status TreeRights::DeniedName(const Row& row) const {
  return Denied(absl::StrCat(ObjectName(row), ", which is or was below another account"),
                "an operator, or another name");
}

absl::Status TreeRights::CheckCoordinators(const TreeSlice& tree,
                                           const storage::ClusterUser& before,
                                           const storage::ClusterUser& after) const {
  for (const auto& [from, to] : {std::pair(&before, &after), std::pair(&after, &before)}) {
    for (const std::string& account : from->coordinated) {
      if (absl::c_linear_search(to->coordinated, account)) continue;
      const Row* row = tree.Account(account);
      if (row != nullptr && tree.IsAtOrBelow(*row, coordinated)) continue;
      // Without its name: the user may coordinate it, which the caller may not know.
      return Denied(absl::StrCat("user ", after.name, " Coordinators"),
                    "an operator, or only accounts that the caller coordinates");
    }
  }
  return absl::OkStatus();
}

absl::Status TreeRights::CheckUser(const TreeSlice& tree, const storage::ClusterUser& before,
                                   const storage::ClusterUser& after, bool is_new) const {
  if (before.admin_level != after.admin_level) {
    const std::string what = absl::StrCat("user ", after.name, " AdminLevel");
    if (!is_operator) return Denied(what, "an operator");
    if (!is_administrator &&
        (before.admin_level == kAdministrator || after.admin_level == kAdministrator)) {
      return Denied(what, "an administrator");
    }
  }
  if (is_operator) return absl::OkStatus();
  const bool is_herself = !user.empty() && user == after.name;
  if (before.default_account != after.default_account && !is_herself && !is_new) {
    return Denied(absl::StrCat("user ", after.name, " DefaultAccount"), "an operator, or the user");
  }
  return CheckCoordinators(tree, before, after);
}

absl::Status TreeRights::CheckUsersMeant(const std::vector<std::string>& names) const {
  if (is_operator || !coordinated.empty()) return absl::OkStatus();
  if (!user.empty() && names.size() == 1 && names.front() == user) return absl::OkStatus();
  return Denied("where.names", "an operator, or only the calling user");
}

absl::Status TreeRights::CheckDeletedUser(const TreeSlice& tree,
                                          const storage::ClusterUser& deleted) const {
  if (!is_administrator && deleted.admin_level == kAdministrator) {
    return Denied(absl::StrCat("user ", deleted.name, ", an administrator"), "an administrator");
  }
  storage::ClusterUser after = deleted;
  after.admin_level.clear();
  after.coordinated.clear();
  return CheckUser(tree, deleted, after, /*is_new=*/false);
}

}  // namespace priorityd::administration
