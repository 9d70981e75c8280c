// site_factor: an example of a site's SiteFactorService.
#include <grpcpp/grpcpp.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <string>

#include "client/examples/site_factor/account_bonus.h"
#include "client/examples/site_factor/bonus_service.h"

namespace priorityd::site_factor_example {
namespace {

constexpr char kDescription[] =
    "Serves priorityd the site factors of jobs: a bonus per account.\n"
    "Name it in the policy: PrioritySiteFactorPlugin=HOST:PORT\n";
constexpr char kFooter[] =
    "\nThe file has lines `ACCOUNT BONUS`; a bonus may be negative, `#` begins a comment.\n"
    "It is read at each call: an edit counts from the next recalculation on.\n"
    "SIGTERM or Ctrl-C stops it. Exit codes: 0 stopped, 1 bad flags, file or address.\n";

// The signal mask that later threads inherit.
sigset_t BlockStopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int Serve(const std::string& listen, const std::string& path) {
  const sigset_t stop_signals = BlockStopSignals();
  if (const auto bonuses = ReadAccountBonus(path); !bonuses.ok()) {
    std::cerr << "site_factor: " << bonuses.status().message() << "\n";
    return 1;
  }
  BonusService service(path);
  grpc::ServerBuilder builder;
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  int port = 0;
  builder.AddListeningPort(listen, grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    std::cerr << "site_factor: --listen: got " << listen << ", want a free HOST:PORT\n";
    return 1;
  }
  std::cout << "listening on " << listen.substr(0, listen.rfind(':')) << ":" << port << std::endl;
  int signal = 0;
  sigwait(&stop_signals, &signal);
  server->Shutdown();
  return 0;
}

int Run(int argc, char** argv) {
  std::string listen = "127.0.0.1:7412";
  std::string path;
  CLI::App app(kDescription, "site_factor");
  app.set_help_flag("--help", "Print this and exit");
  app.footer(kFooter);
  app.add_option("--listen", listen, "Address to serve gRPC on; port 0 takes any free one")
      ->option_text("HOST:PORT [" + listen + "]");
  app.add_option("FILE", path, "The accounts and their bonuses")->required();
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return 0;
  } catch (const CLI::ParseError& error) {
    std::cerr << "site_factor: " << error.what() << " (see site_factor --help)\n";
    return 1;
  }
  return Serve(listen, path);
}

}  // namespace
}  // namespace priorityd::site_factor_example

int main(int argc, char** argv) { return priorityd::site_factor_example::Run(argc, argv); }
