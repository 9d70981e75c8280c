#include "server/slurm/dump_options.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/slurm/association_words.h"
#include "server/slurm/limit_words.h"

namespace priorityd::slurm {

absl::Status ReadDumpOption(const DumpOption& option, DumpLineKind kind, DumpAssociation& line) {
  const AssociationWord* word = FindAssociationWord(option.name);
  absl::string_view name = option.name;
  if (word == nullptr && FindTresWord(name) == nullptr) {
    name = FindAssociationOption(name);
    word = FindAssociationWord(name);
  }
  if (name.empty()) {
    return absl::InvalidArgumentError(
        "got an unknown option, want one of those that sacctmgr dump writes, such as Fairshare, "
        "Priority, QOS, DefaultQOS, GrpTRESMins, MaxSubmitJobs");
  }
  if (word != nullptr && word->read != nullptr && word->IsOn(kind)) {
    return word->read(option.value, line);
  }
  std::vector<priority::LimitValue> limits;
  const absl::StatusOr<bool> limit = AddAssociationLimit(name, option.value, &limits);
  if (!limit.ok()) return limit.status();
  line.other_options.push_back({std::string(name), option.value});
  return absl::OkStatus();
}

}  // namespace priorityd::slurm
