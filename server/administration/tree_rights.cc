#include "server/administration/tree_rights.h"

#include <limits>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "engine/errors/error_details.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"
#include "server/administration/from_storage.h"

namespace priorityd::administration {
namespace {

using slurm::AssociationWord;
using slurm::WordKind;
using Row = storage::Association;

constexpr char kAdministrator[] = "Administrator";

double CountOf(const std::string& value) {
  double count = 0;
  return absl::SimpleAtod(value, &count) ? count : std::numeric_limits<double>::infinity();
}

double SecondsOf(const std::string& value) {
  const absl::StatusOr<absl::Duration> time = slurm::ParseTimeString(value);
  return time.ok() ? absl::ToDoubleSeconds(*time) : std::numeric_limits<double>::infinity();
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
  if (word.name == "MinPrioThreshold") return CountOf(value) >= CountOf(above);
  switch (word.kind) {
    case WordKind::kCount:
      return CountOf(value) <= CountOf(above);
    case WordKind::kTime:
      return SecondsOf(value) <= SecondsOf(above);
    case WordKind::kTres:
      return IsWithinTres(value, above);
    default:
      return true;
  }
}

// The nearest value above a row.
std::optional<std::string> ValueAbove(const TreeSlice& tree, const AssociationWord& word,
                                      const Row& row) {
  for (const Row* at = tree.Parent(row); at != nullptr; at = tree.Parent(*at)) {
    auto value = slurm::DumpValue(word, FromStorage(*at));
    if (value.has_value()) return value;
  }
  return std::nullopt;
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

absl::Status TreeRights::CheckLimit(const TreeSlice& tree, const WordSetting& setting,
                                    const Row& after) const {
  const AssociationWord& word = *setting.word;
  if (word.name == "Priority") return Denied(word.name, "an operator");
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
    if (absl::Status s = CheckLimit(tree, setting, after); !s.ok()) return s;
  }
  return absl::OkStatus();
}

absl::Status TreeRights::CheckCoordinators(const TreeSlice& tree,
                                           const storage::ClusterUser& before,
                                           const storage::ClusterUser& after) const {
  for (const auto& [from, to] : {std::pair(&before, &after), std::pair(&after, &before)}) {
    for (const std::string& account : from->coordinated) {
      if (absl::c_linear_search(to->coordinated, account)) continue;
      const Row* row = tree.Account(account);
      if (row != nullptr && tree.IsAtOrBelow(*row, coordinated)) continue;
      return Denied(absl::StrCat("Coordinators of account ", account),
                    "an operator, or a coordinator of the account");
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

absl::Status TreeRights::CheckDeletedUser(const storage::ClusterUser& deleted) const {
  if (is_administrator || deleted.admin_level != kAdministrator) return absl::OkStatus();
  return Denied(absl::StrCat("user ", deleted.name, ", an administrator"), "an administrator");
}

}  // namespace priorityd::administration
