// prioctl: the command line of priorityd.
#include <fcntl.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <ostream>
#include <streambuf>
#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/command_line.h"
#include "client/prioctl/text/connection_advice.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/priority_client.h"
#include "client/rpc_error.h"
#include "client/visible_text.h"

namespace priorityd::prioctl {
namespace {

constexpr int kWrongCommandLine = 2;

// One line for people.
std::string ErrorText(const absl::Status& status, const CommandLine& line) {
  // An error without a reason is not from priorityd.
  if (absl::IsUnavailable(status) && client::Reason(status).empty()) {
    return absl::StrCat("no answer from priorityd at ", line.server, " ",
                        ConnectionAdvice(client::Describe(status), line.server));
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

void Report(const CommandLine& line, const std::string& what, const char* then = "") {
  std::cerr << line.tool << ": " << client::WithVisibleControls(what) << then << '\n';
}

int Fail(const CommandLine& line, const std::string& why) {
  Report(line, why);
  return 1;
}

int FailToWrite(absl::string_view tool) {
  std::cerr << tool << ": standard output: cannot be written\n";
  return 1;
}

// Help, the version and such; what is wrong with a command line goes to standard error.
int Leave(const Exit& exit, const std::string& tool) {
  if (exit.code != 0) {
    std::cerr << client::WithVisibleControls(exit.text);
    return exit.code;
  }
  std::cout << exit.text << std::flush;
  return std::cout.good() ? 0 : FailToWrite(tool);
}

client::RetryPolicy RetryOf(const CommandLine& line) {
  client::RetryPolicy retry;
  if (line.retries == Retries::kNone) retry.max_attempts = 1;
  if (line.retries == Retries::kUntilTimeout) {
    retry.max_attempts = std::numeric_limits<int>::max();
  }
  return retry;
}

// `exact`: standard output as it is.
int RunCommand(const CommandLine& line, std::ostream& exact) {
  const auto credentials = client::MakeChannelCredentials(line.tls);
  if (!credentials.ok()) return Fail(line, client::Describe(credentials.status()));
  const client::PriorityClient client(
      {.address = line.server,
       .cluster = line.cluster,
       .deadline = line.timeout,
       .retry = RetryOf(line),
       .credentials = *credentials,
       .authorize = client::MakeAuthorize(line.proof),
       .on_rate_limited =
           [&](const absl::Status& status) { Report(line, client::Describe(status), "; waiting"); },
       .on_retry =
           [&](const absl::Status& status) {
             if (line.retries != Retries::kUntilTimeout) return;
             Report(line, ErrorText(status, line), "; trying again");
           }});
  const bool out_is_terminal = isatty(STDOUT_FILENO) != 0;
  Console console{.out = std::cout,
                  .err = std::cerr,
                  .exact_out = out_is_terminal ? nullptr : &exact,
                  .in_is_terminal = isatty(STDIN_FILENO) != 0,
                  .err_is_terminal = isatty(STDERR_FILENO) != 0,
                  .out_is_terminal = out_is_terminal,
                  .cluster_from_environment = line.cluster_from_environment};
  const absl::Status status = line.run(client, console);
  std::cout.flush();
  if (status.ok() && std::cout.good() && exact.good()) return console.exit_code;
  if (status.ok()) return FailToWrite(line.tool);
  const int failed = Fail(line, ErrorText(status, line));
  return IsOptionError(status) ? kWrongCommandLine : failed;
}

}  // namespace
}  // namespace priorityd::prioctl

// The next file or connection would get the number of a closed standard file. Its replacement fails
// as a closed file does.
void KeepStandardFiles() {
  for (int fd = 0; fd < 3; ++fd) {
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Before libraries open files of their own as they are loaded.
[[gnu::section(".preinit_array"), gnu::used]] void (*const before_libraries)() = KeepStandardFiles;

// Names that others chose are printed so that a reader sees what they are.
class VisibleStandardStreams {
 public:
  VisibleStandardStreams() {
    std::cout.rdbuf(&out_);
    std::cerr.rdbuf(&err_);
  }
  // Standard output as it is.
  std::ostream& exact() { return exact_; }

  ~VisibleStandardStreams() {
    std::cout.flush();
    std::cout.rdbuf(plain_out_);
    std::cerr.rdbuf(plain_err_);
  }

 private:
  std::streambuf* const plain_out_ = std::cout.rdbuf();
  std::streambuf* const plain_err_ = std::cerr.rdbuf();
  priorityd::client::VisibleText out_{plain_out_};
  priorityd::client::VisibleText err_{plain_err_};
  std::ostream exact_{plain_out_};
};

int main(int argc, char** argv) {
  // gRPC would print lines of its own beside the one error.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  // Tables are UTF-8 in any environment.
  std::setlocale(LC_CTYPE, "C.UTF-8");
  VisibleStandardStreams visible;
  const auto parsed = priorityd::prioctl::ParseCommandLine(argc, argv);
  if (const auto* exit = std::get_if<priorityd::prioctl::Exit>(&parsed)) {
    return priorityd::prioctl::Leave(*exit, std::filesystem::path(argv[0]).filename());
  }
  return priorityd::prioctl::RunCommand(std::get<priorityd::prioctl::CommandLine>(parsed),
                                        visible.exact());
}
