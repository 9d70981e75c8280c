// prioctl: the command line of priorityd.
#include <unistd.h>

#include <iostream>
#include <string>
#include <type_traits>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/admin.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/explain.h"
#include "client/prioctl/import.h"
#include "client/prioctl/policy_lint.h"
#include "client/prioctl/queue.h"
#include "client/prioctl/rank.h"
#include "client/prioctl/record.h"
#include "client/prioctl/share_history.h"
#include "client/prioctl/slurm_jobs.h"
#include "client/prioctl/slurm_views.h"
#include "client/prioctl/status.h"
#include "client/prioctl/usage_changes.h"
#include "client/prioctl/watch.h"
#include "client/prioctl/what_if.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"

namespace priorityd::prioctl {
namespace {

constexpr char kRefused[] = "Connection refused";

// One line for people.
std::string ErrorText(const absl::Status& status, const CommandLine& line) {
  // What comes without a reason does not come from priorityd.
  if (absl::IsUnavailable(status) && client::Reason(status).empty()) {
    const std::string why = client::Describe(status);
    return absl::StrCat("no answer from priorityd at ", line.server, " (",
                        absl::StrContains(why, kRefused) ? kRefused : why,
                        "); start it with `priorityd --listen=", line.server,
                        " --data_dir=DIR`, or name another with --server");
  }
  if (absl::IsDeadlineExceeded(status)) {
    return absl::StrCat("no answer from priorityd at ", line.server, " within ",
                        absl::FormatDuration(line.timeout), " (--timeout)");
  }
  if (absl::IsUnauthenticated(status)) {
    return absl::StrCat(client::Describe(status), " [", line.tool, " sent ",
                        client::DescribeProof(line.proof), "; see --auth]");
  }
  return client::Describe(status);
}

int Fail(const CommandLine& line, const std::string& why) {
  std::cerr << line.tool << ": " << why << '\n';
  return 1;
}

int RunCommand(const CommandLine& line) {
  const auto credentials = client::MakeChannelCredentials(line.tls);
  if (!credentials.ok()) return Fail(line, client::Describe(credentials.status()));
  const client::PriorityClient client({.address = line.server,
                                       .cluster = line.cluster,
                                       .deadline = line.timeout,
                                       .credentials = *credentials,
                                       .authorize = client::MakeAuthorize(line.proof),
                                       .on_rate_limited = [&](const absl::Status& status) {
                                         std::cerr << line.tool << ": " << client::Describe(status)
                                                   << "; waiting\n";
                                       }});
  Console console{std::cout, std::cerr, isatty(STDERR_FILENO) != 0, isatty(STDOUT_FILENO) != 0};
  const absl::Status status = std::visit(
      [&](const auto& options) -> absl::Status {
        if constexpr (std::is_same_v<std::decay_t<decltype(options)>, std::monostate>) {
          return absl::OkStatus();
        } else {
          return Run(options, client, console);
        }
      },
      line.command);
  std::cout.flush();
  if (status.ok() && std::cout.good()) return console.exit_code;
  return Fail(line, status.ok() ? "standard output: cannot be written" : ErrorText(status, line));
}

}  // namespace
}  // namespace priorityd::prioctl

int main(int argc, char** argv) {
  const auto parsed = priorityd::prioctl::ParseCommandLine(argc, argv);
  if (const auto* exit = std::get_if<priorityd::prioctl::Exit>(&parsed)) {
    (exit->code == 0 ? std::cout : std::cerr) << exit->text;
    return exit->code;
  }
  return priorityd::prioctl::RunCommand(std::get<priorityd::prioctl::CommandLine>(parsed));
}
