// The settings of an association: options of a sacctmgr dump, of sacctmgr's `set`, and columns of
// its tables.
#ifndef PRIORITYD_ENGINE_SLURM_DUMP_ASSOCIATION_WORDS_H_
#define PRIORITYD_ENGINE_SLURM_DUMP_ASSOCIATION_WORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "engine/slurm/dump/dump_options.h"
#include "engine/slurm/dump/sacctmgr_dump.h"

namespace priorityd::slurm {

// The type of its values.
enum class WordKind { kShares, kCount, kTime, kTres, kQosList, kQosName, kText };

struct AssociationWord {
  absl::string_view name;  // As sacctmgr dump writes it.
  std::vector<absl::string_view> aliases;
  WordKind kind;
  // The kinds of dump lines that have it, and whether `set` changes it in associations. Settings of
  // a user for a whole cluster are not settings of an association.
  bool on_accounts = true;
  bool on_root = true;
  bool on_users = true;
  bool is_set = true;
  // Null for settings that priorityd only stores, in DumpAssociation::other_options. `read` accepts
  // values as in dumps; nullopt = unset.
  absl::Status (*read)(absl::string_view value, DumpAssociation& line) = nullptr;
  std::optional<std::string> (*text)(const DumpAssociation& line) = nullptr;

  bool IsOn(DumpLineKind kind) const {
    return kind == DumpLineKind::kUser      ? on_users
           : kind == DumpLineKind::kAccount ? on_accounts
                                            : on_root;
  }
  // Whether associations below do not inherit it.
  bool is_group() const { return name.substr(0, 3) == "Grp"; }
};

// All words, in the order of sacctmgr dump.
const std::vector<AssociationWord>& AssociationWords();

// Finds a word by name or alias, case-insensitive; null = not found.
const AssociationWord* FindAssociationWord(absl::string_view name);

// An older word for one TRES of a list, such as GrpCPUs for GrpTRES=cpu=...
struct TresWord {
  absl::string_view name;
  absl::string_view list;
  absl::string_view tres;
};
absl::Span<const TresWord> TresWords();
const TresWord* FindTresWord(absl::string_view name);

// The value in `line` as in a dump; nullopt = unset.
std::optional<std::string> DumpValue(const AssociationWord& word, const DumpAssociation& line);
// The same as in sacctmgr's tables: `parent`, times as 1-02:03:00.
std::optional<std::string> ShownValue(const AssociationWord& word, const DumpAssociation& line);

// `mem=2G,cpu=4` as sacctmgr writes it; the base unit of mem and bb/* is MB.
std::string TresText(const priority::TresMap& limits);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_ENGINE_SLURM_DUMP_ASSOCIATION_WORDS_H_
