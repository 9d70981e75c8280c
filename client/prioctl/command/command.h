// A command of prioctl, and a command line as far as the commands read and set it.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMAND_COMMAND_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMAND_COMMAND_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "client/authorization.h"
#include "client/priority_client.h"

namespace CLI {
class App;
}  // namespace CLI

namespace priorityd::prioctl {

struct Console;

// Asks the service and prints the answer to the console. Returns what went wrong, for one line on
// standard error: an error of the service, of a file, or of an option.
using Task = std::function<absl::Status(const client::PriorityClient& client, Console& console)>;

// The time for which a command tries to reach the service.
enum class Retries {
  kNone,          // once: an answer that comes late is of no use
  kFew,           // as the client library does
  kUntilTimeout,  // --timeout: it may run before the service starts
};

// A whole command line.
struct CommandLine {
  std::string tool = "prioctl";  // the name in errors: prioctl, or the link's
  std::string server;            // or several, separated by commas
  std::string cluster;
  bool cluster_from_environment = false;  // not typed
  std::string named_cluster;              // by an argument of the command; empty = by none
  absl::Duration timeout;
  client::ProofOptions proof;
  client::TlsOptions tls;
  Task run;  // of the command; empty = no command was typed
  Retries retries = Retries::kFew;
};

// A command, or a group of commands.
struct Command {
  const char* name;
  const char* about;  // one line of help
  // Adds its options, or the commands of a group, to `app`. If the command is typed, the parser
  // then sets `run` of `line` (see Adopt in options.h). REQUIRES: `line` outlives `app`.
  void (*add_options)(CLI::App* app, CommandLine& line);
};

// Adds a command to its parent: prioctl itself, or a group.
void AddCommand(const Command& command, CLI::App* parent, CommandLine& line);
void AddCommands(absl::Span<const Command> commands, CLI::App* parent, CommandLine& line);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMAND_COMMAND_H_
