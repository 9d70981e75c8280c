// The command line of sacctmgr: VERB ENTITY [where] ... [set ...].
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/prioctl/sacctmgr/words.h"

namespace priorityd::sacctmgr {

enum class Verb { kAdd, kModify, kDelete, kShow, kDump, kLoad, kHelp, kVersion, kQuit };

enum class Entity {
  kNone,  // Of dump, load and the like.
  kAccount,
  kAssociation,
  kCluster,
  kCoordinator,
  kProblem,
  kQos,
  kTransaction,
  kUser,
};

struct Command {
  Verb verb = Verb::kShow;
  Entity entity = Entity::kNone;
  std::vector<Word> where;  // The selection; all words of show, delete, dump and load.
  std::vector<Word> set;    // The new values; all words of add.
};

// Reads it as sacctmgr does: case does not matter, verbs and entities may be cut short, the words
// of `modify` before `set` are the selection. INVALID_ARGUMENT says what is wrong, UNIMPLEMENTED
// why priorityd does not have it.
absl::StatusOr<Command> ParseCommand(const std::vector<std::string>& words);

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_COMMAND_H_
