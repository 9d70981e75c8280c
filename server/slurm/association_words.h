// The words of an association: as options of a sacctmgr dump, in sacctmgr's `set` and in its
// tables.
#ifndef PRIORITYD_SERVER_SLURM_ASSOCIATION_WORDS_H_
#define PRIORITYD_SERVER_SLURM_ASSOCIATION_WORDS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "server/slurm/dump_options.h"
#include "server/slurm/sacctmgr_dump.h"

namespace priorityd::slurm {

// What its values are.
enum class WordKind { kShares, kCount, kTime, kTres, kQosList, kQosName, kText };

struct AssociationWord {
  absl::string_view name;  // As sacctmgr dump writes it.
  std::vector<absl::string_view> aliases;
  WordKind kind;
  // The lines that have it, and whether `set` changes it in associations; what holds for a user
  // in all of a cluster is no association's.
  bool on_accounts = true;
  bool on_root = true;
  bool on_users = true;
  bool is_set = true;
  // Null for what priorityd only keeps, in DumpAssociation::other_options. `read` takes values as
  // dumps have them; nullopt = unset.
  absl::Status (*read)(absl::string_view value, DumpAssociation& line) = nullptr;
  std::optional<std::string> (*text)(const DumpAssociation& line) = nullptr;

  bool IsOn(DumpLineKind kind) const {
    return kind == DumpLineKind::kUser      ? on_users
           : kind == DumpLineKind::kAccount ? on_accounts
                                            : on_root;
  }
  // Whether it is of its own account only, and not in force below.
  bool is_group() const { return name.substr(0, 3) == "Grp"; }
};

// In the order in which sacctmgr dump writes them.
const std::vector<AssociationWord>& AssociationWords();

// By name or alias in any case; null if there is none.
const AssociationWord* FindAssociationWord(absl::string_view name);

// A word of one TRES of a list, such as GrpCPUs, which is GrpTRES=cpu=...
struct TresWord {
  absl::string_view name;
  absl::string_view list;
  absl::string_view tres;
};
absl::Span<const TresWord> TresWords();
const TresWord* FindTresWord(absl::string_view name);

// The value in `line` as a dump has it; nullopt = unset.
std::optional<std::string> DumpValue(const AssociationWord& word, const DumpAssociation& line);
// The same as sacctmgr's tables show it: `parent`, times as 1-02:03:00.
std::optional<std::string> ShownValue(const AssociationWord& word, const DumpAssociation& line);

// `mem=2G,cpu=4` as sacctmgr writes it; the base unit of mem and bb/* is MB.
std::string TresText(const priority::TresMap& limits);

}  // namespace priorityd::slurm

#endif  // PRIORITYD_SERVER_SLURM_ASSOCIATION_WORDS_H_
