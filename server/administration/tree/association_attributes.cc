#include "server/administration/tree/association_attributes.h"

#include <optional>
#include <string>

#include "absl/strings/str_join.h"
#include "engine/slurm/dump/association_words.h"
#include "server/administration/settings/from_storage.h"

namespace priorityd::administration {
namespace {

using slurm::WordKind;

bool IsInherited(const slurm::AssociationWord& word) {
  return word.is_set && word.on_users && word.kind != WordKind::kShares && !word.is_group();
}

}  // namespace

Attributes AttributesOf(const storage::Association& row) {
  const slurm::DumpAssociation line = FromStorage(row);
  Attributes attributes;
  for (const slurm::AssociationWord& word : slurm::AssociationWords()) {
    if (!word.is_set || !word.IsOn(KindOf(row))) continue;
    std::optional<std::string> value = slurm::ShownValue(word, line);
    if (value.has_value()) attributes[std::string(word.name)] = *std::move(value);
  }
  return attributes;
}

Attributes WithParent(const TreeSlice& tree, const storage::Association& row) {
  Attributes attributes = AttributesOf(row);
  const storage::Association* parent = tree.Parent(row);
  if (row.user_name.empty() && parent != nullptr) attributes["Parent"] = parent->account;
  return attributes;
}

Attributes InheritedBy(const TreeSlice& tree, const storage::Association& row) {
  const Attributes own = AttributesOf(row);
  Attributes inherited;
  for (const auto* at = tree.Parent(row); at != nullptr; at = tree.Parent(*at)) {
    const slurm::DumpAssociation line = FromStorage(*at);
    for (const slurm::AssociationWord& word : slurm::AssociationWords()) {
      const std::string name(word.name);
      if (!IsInherited(word) || own.count(name) > 0 || inherited.count(name) > 0) continue;
      std::optional<std::string> value = slurm::ShownValue(word, line);
      if (value.has_value()) inherited[name] = *std::move(value);
    }
  }
  return inherited;
}

Attributes AttributesOf(const storage::ClusterUser& user) {
  Attributes attributes;
  if (!user.default_account.empty()) attributes["DefaultAccount"] = user.default_account;
  if (!user.admin_level.empty()) attributes["AdminLevel"] = user.admin_level;
  if (!user.coordinated.empty()) {
    attributes["Coordinators"] = absl::StrJoin(user.coordinated, ",");
  }
  return attributes;
}

}  // namespace priorityd::administration
