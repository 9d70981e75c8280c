// The command line of priorityd-slurm.
#ifndef PRIORITYD_CLIENT_SLURM_OPTIONS_H_
#define PRIORITYD_CLIENT_SLURM_OPTIONS_H_

#include <cstddef>
#include <string>
#include <variant>

#include "absl/time/time.h"
#include "client/authorization.h"
#include "client/slurm/commands.h"
#include "client/slurm/driver.h"
#include "client/slurm/observer.h"

namespace priorityd::slurm_frontend {

enum class Verb { kObserve, kDrive, kRelease };

struct Options {
  Verb verb = Verb::kObserve;
  std::string server = "127.0.0.1:7411";
  absl::Duration timeout = absl::Minutes(5);  // Of a call to priorityd.
  client::ProofOptions proof;
  client::TlsOptions tls;
  CommandOptions commands;
  ObserverOptions observer;
  DriveOptions drive;
  absl::Duration interval = absl::Seconds(60);
  bool once = false;
  bool json = false;
  size_t most_rows = 40;
};

// Printed instead of a run.
struct Exit {
  int code = 0;
  std::string text;
};

std::variant<Options, Exit> ParseOptions(int argc, const char* const* argv);

}  // namespace priorityd::slurm_frontend

#endif  // PRIORITYD_CLIENT_SLURM_OPTIONS_H_
