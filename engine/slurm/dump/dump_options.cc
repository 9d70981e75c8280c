#include "engine/slurm/dump/dump_options.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "engine/slurm/dump/association_words.h"
#include "engine/slurm/dump/limit_words.h"

namespace priorityd::slurm {

namespace {

// If an option is repeated, under two names or in two lines, the last one is used.
void Keep(DumpOption option, std::vector<DumpOption>& options) {
  options.erase(std::remove_if(options.begin(), options.end(),
                               [&](const DumpOption& other) {
                                 return absl::EqualsIgnoreCase(other.name, option.name);
                               }),
                options.end());
  options.push_back(std::move(option));
}

}  // namespace

absl::Status ReadDumpOption(const DumpOption& option, DumpLineKind kind, DumpAssociation& line) {
  const AssociationWord* word = FindAssociationWord(option.name);
  absl::string_view name = option.name;
  if (word == nullptr && FindTresWord(name) == nullptr) {
    name = FindAssociationOption(name);
    word = FindAssociationWord(name);
  }
  if (name.empty()) {
    return absl::InvalidArgumentError(
        "got an unknown option, want one of those that sacctmgr dump writes, such as "
        "Fairshare, "  // words: allow
        "Priority, QOS, DefaultQOS, GrpTRESMins, MaxSubmitJobs");
  }
  if (word != nullptr && word->read != nullptr && word->IsOn(kind)) {
    return word->read(option.value, line);
  }
  std::vector<priority::LimitValue> limits;
  const absl::StatusOr<bool> limit = AddAssociationLimit(name, option.value, &limits);
  if (!limit.ok()) return limit.status();
  Keep({std::string(name), option.value}, line.other_options);
  return absl::OkStatus();
}

}  // namespace priorityd::slurm
