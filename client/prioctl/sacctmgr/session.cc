#include "client/prioctl/sacctmgr/session.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/sacctmgr/add.h"
#include "client/prioctl/sacctmgr/command.h"
#include "client/prioctl/sacctmgr/delete.h"
#include "client/prioctl/sacctmgr/dump.h"
#include "client/prioctl/sacctmgr/field_words.h"
#include "client/prioctl/sacctmgr/modify.h"
#include "client/prioctl/sacctmgr/selection.h"
#include "client/prioctl/sacctmgr/show.h"
#include "client/rpc_error.h"

namespace priorityd::sacctmgr {
namespace {

constexpr char kHelp[] =
    "Commands; verbs, entities and words may be cut short, case does not matter:\n"
    "  add|create ENTITY NAME,... [WORD=VALUE ...]\n"
    "      account NAME parent=ACCOUNT fairshare=N description=TEXT organization=TEXT\n"
    "      user NAME account=ACCOUNT,... partition=NAME,... defaultaccount=ACCOUNT "
    "adminlevel=LEVEL\n"
    "      coordinator NAME account=ACCOUNT,...\n"
    "      qos NAME priority=N usagefactor=N flags=FLAG,... preempt=QOS,...\n"
    "      cluster NAME\n"
    "      with any limit that associations have (grptresmins=cpu=1000, maxsubmitjobs=20, ...)\n"
    "  modify|update ENTITY [where] NAME|CONDITION=VALUE ... set WORD=VALUE ...\n"
    "      account, association, cluster, qos, user; += and -= change lists;\n"
    "      rawusage=0 forgets what accounts, users or QOS used, parent=ACCOUNT moves accounts\n"
    "  delete|remove ENTITY [where] NAME|CONDITION=VALUE ...\n"
    "      account, association, cluster, coordinator, qos, user\n"
    "  show|list ENTITY [where CONDITION=VALUE ...] [format=FIELD[%[-]WIDTH],...]\n"
    "      account, association, cluster, coordinator, problem, qos, transaction, user;\n"
    "      withassoc, withcoord, withsubaccounts, onlydefaults, tree\n"
    "  dump CLUSTER [file=NAME]     write accounts and users into a file; - is standard output\n"
    "  load file=NAME [cluster=NAME] [clean]\n"
    "                               import such a file; clean deletes objects it lacks\n"
    "  help, version, quit          without a command sacctmgr reads them line by line\n";

absl::Status CheckWritable(Verb verb, const Settings& settings) {
  const bool changes =
      verb == Verb::kAdd || verb == Verb::kModify || verb == Verb::kDelete || verb == Verb::kLoad;
  if (!changes || !settings.read_only) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "-r: got a command that changes something, want show or dump");
}

absl::Status CheckCluster(const Command& command, const Settings& settings) {
  const auto selection =
      command.verb == Verb::kAdd ? ReadNewThings(command) : ReadSelection(command);
  if (settings.cluster.empty() || !selection.ok()) return absl::OkStatus();
  Names named = selection->clusters;
  if (command.entity == Entity::kCluster) {
    named.insert(named.end(), selection->names.begin(), selection->names.end());
  }
  for (const std::string& name : named) {
    if (absl::EqualsIgnoreCase(name, settings.cluster)) continue;
    return absl::InvalidArgumentError(absl::StrCat("--cluster: got ", settings.cluster, ", want ",
                                                   name, ", which the command names, or none"));
  }
  return absl::OkStatus();
}

absl::Status Dispatch(const Command& command, const client::PriorityClient& client,
                      const Settings& settings, Terminal& terminal, bool* quit) {
  switch (command.verb) {
    case Verb::kAdd:
      return Add(command, client, settings, terminal);
    case Verb::kModify:
      return Modify(command, client, settings, terminal);
    case Verb::kDelete:
      return Delete(command, client, settings, terminal);
    case Verb::kShow:
      return Show(command, client, settings, terminal);
    case Verb::kDump:
      return Dump(command, client, settings, terminal);
    case Verb::kLoad:
      return Load(command, client, settings, terminal);
    case Verb::kHelp:
      terminal.Print(HelpText());
      return absl::OkStatus();
    case Verb::kVersion:
      terminal.PrintVersion();
      return absl::OkStatus();
    case Verb::kQuit:
      *quit = true;
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Execute(const std::vector<std::string>& words, const client::PriorityClient& client,
                     const Settings& settings, Terminal& terminal, bool* quit) {
  const absl::StatusOr<Command> command = ParseCommand(words);
  if (!command.ok()) return command.status();
  if (absl::Status s = CheckWritable(command->verb, settings); !s.ok()) return s;
  if (absl::Status s = CheckCluster(*command, settings); !s.ok()) return s;
  const absl::Status done = Dispatch(*command, client, settings, terminal, quit);
  return done.ok() ? done : client::Retold(done, FieldsInWords(client::Describe(done)));
}

std::string HelpText() { return kHelp; }

}  // namespace priorityd::sacctmgr
