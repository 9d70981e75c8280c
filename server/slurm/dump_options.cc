#include "server/slurm/dump_options.h"

#include "server/slurm/association_words.h"

namespace priorityd::slurm {

absl::Status ReadDumpOption(const DumpOption& option, DumpLineKind kind, DumpAssociation& line) {
  const AssociationWord* word = FindAssociationWord(option.name);
  if (word != nullptr && word->read != nullptr && word->IsOn(kind)) {
    return word->read(option.value, line);
  }
  if (word == nullptr && !IsAssociationOption(option.name)) {
    return absl::InvalidArgumentError(
        "got an unknown option, want one of those that sacctmgr dump writes, such as Fairshare, "
        "Priority, QOS, DefaultQOS, GrpTRESMins, MaxSubmitJobs");
  }
  line.other_options.push_back(option);
  return absl::OkStatus();
}

}  // namespace priorityd::slurm
