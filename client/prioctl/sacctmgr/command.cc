#include "client/prioctl/sacctmgr/command.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace priorityd::sacctmgr {
namespace {

struct KnownVerb {
  absl::string_view name;
  size_t least;
  Verb verb;
};

// In sacctmgr's order, which decides between words that begin alike.
constexpr KnownVerb kVerbs[] = {
    {"add", 3, Verb::kAdd},       {"create", 2, Verb::kAdd},      {"dump", 3, Verb::kDump},
    {"help", 2, Verb::kHelp},     {"load", 2, Verb::kLoad},       {"delete", 3, Verb::kDelete},
    {"remove", 3, Verb::kDelete}, {"exit", 1, Verb::kQuit},       {"quit", 4, Verb::kQuit},
    {"list", 1, Verb::kShow},     {"show", 3, Verb::kShow},       {"modify", 1, Verb::kModify},
    {"update", 1, Verb::kModify}, {"version", 4, Verb::kVersion},
};

struct KnownEntity {
  absl::string_view name;
  size_t least;
  Entity entity;
};

constexpr KnownEntity kEntities[] = {
    {"Account", 2, Entity::kAccount},
    {"Accounts", 2, Entity::kAccount},
    {"Association", 2, Entity::kAssociation},
    {"Associations", 2, Entity::kAssociation},
    {"Cluster", 2, Entity::kCluster},
    {"Clusters", 2, Entity::kCluster},
    {"Coordinator", 2, Entity::kCoordinator},
    {"Coordinators", 2, Entity::kCoordinator},
    {"Problem", 1, Entity::kProblem},
    {"Problems", 1, Entity::kProblem},
    {"QOS", 1, Entity::kQos},
    {"Transactions", 1, Entity::kTransaction},
    {"Txn", 1, Entity::kTransaction},
    {"Users", 1, Entity::kUser},
};

// Words of sacctmgr without a counterpart in priorityd.
struct Missing {
  absl::string_view name;
  size_t least;
  absl::string_view why;
};

constexpr Missing kMissingVerbs[] = {
    {"archive", 2, "PurgeJobAfter in the policy sets how long usage records are kept"},
    {"reconfigure", 4,
     "a change takes effect with the next recalculation, see prioctl recalculate"},
    {"shutdown", 4, "the service's own manager stops it"},
    {"clear", 3, "statistics are in the metrics and in prioctl status"},
};

constexpr Missing kMissingEntities[] = {
    {"Configuration", 3, "prioctl policy show prints the parameters, prioctl status the service's"},
    {"Events", 1, "what happens to nodes is known to the scheduler"},
    {"Federation", 3, "clusters are independent of each other"},
    {"Job", 1, "prioctl queue changes jobs, prioctl record corrects usage"},
    {"Partition", 3, "prioctl scontrol shows and changes partitions"},
    {"Reservations", 4, "reservations are the scheduler's"},
    {"Resources", 3, "licenses are configured in slurm.conf: Licenses="},
    {"RunAwayJobs", 2, "usage is recorded after jobs have ended"},
    {"Stats", 2, "statistics are in the metrics and in prioctl status"},
    {"TRES", 2, "prioctl sacctmgr show cluster format=cluster,tres prints those of a cluster"},
    {"WCKeys", 1, "usage is kept by account and user"},
};

template <typename Known, size_t kSize>
const Known* Find(const Known (&table)[kSize], absl::string_view word) {
  const auto* found = std::find_if(std::begin(table), std::end(table), [&](const Known& known) {
    return IsShortFor(word, known.name, known.least);
  });
  return found == std::end(table) ? nullptr : found;
}

absl::Status NotHere(const Missing& missing) {
  return absl::UnimplementedError(
      absl::StrCat("got ", missing.name, ", which priorityd does not have: ", missing.why));
}

absl::StatusOr<Verb> ReadVerb(absl::string_view word) {
  if (const KnownVerb* verb = Find(kVerbs, word)) return verb->verb;
  if (const Missing* missing = Find(kMissingVerbs, word)) return NotHere(*missing);
  return absl::InvalidArgumentError(
      absl::StrCat("got the command \"", word,
                   "\", want add, create, modify, update, delete, remove, show, list, dump, load, "
                   "help or version"));
}

absl::StatusOr<Entity> ReadEntity(absl::string_view word) {
  // Before those that are here: `pa` is no problem.
  if (IsShortFor(word, "Partition", 2)) word = "Partition";
  const KnownEntity* entity = Find(kEntities, word);
  if (entity != nullptr && word != "Partition") return entity->entity;
  if (const Missing* missing = Find(kMissingEntities, word)) return NotHere(*missing);
  return absl::InvalidArgumentError(
      absl::StrCat("got \"", word,
                   "\", want account, association, cluster, coordinator, problem, qos, transaction "
                   "or user"));
}

bool HasEntity(Verb verb) {
  return verb == Verb::kAdd || verb == Verb::kModify || verb == Verb::kDelete ||
         verb == Verb::kShow;
}

}  // namespace

absl::StatusOr<Command> ParseCommand(const std::vector<std::string>& words) {
  if (words.empty()) return absl::InvalidArgumentError("got no command");
  Command command;
  const absl::StatusOr<Verb> verb = ReadVerb(words[0]);
  if (!verb.ok()) return verb.status();
  command.verb = *verb;
  size_t next = 1;
  if (HasEntity(*verb)) {
    const absl::StatusOr<Entity> entity = ReadEntity(words.size() > 1 ? words[1] : "");
    if (!entity.ok()) return entity.status();
    command.entity = *entity;
    next = 2;
  }
  std::vector<Word>* target = *verb == Verb::kAdd ? &command.set : &command.where;
  for (; next < words.size(); ++next) {
    const Word word = ReadWord(words[next]);
    if (!word.has_value && IsShortFor(word.name, "where", 5)) {
      target = *verb == Verb::kAdd ? &command.set : &command.where;
    } else if (!word.has_value && *verb == Verb::kModify && IsShortFor(word.name, "set", 3)) {
      target = &command.set;
    } else {
      target->push_back(word);
    }
  }
  return command;
}

}  // namespace priorityd::sacctmgr
