// The command line of batch_frontend.
#ifndef PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_OPTIONS_H_
#define PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_OPTIONS_H_

#include <string>
#include <variant>

#include "client/examples/batch_frontend/player.h"
#include "client/examples/batch_frontend/site_files.h"
#include "client/examples/batch_frontend/workload.h"

namespace priorityd::batch_frontend {

struct Options {
  std::string server = "127.0.0.1:7411";
  std::string trace;       // SWF file.
  std::string slurm_conf;  // The site's own; empty = made from `site`.
  std::string dump;        // The site's own; empty = made from the trace's users.
  SiteOptions site;
  WorkloadOptions workload;
  PlayOptions play;
  double demand_window_hours = 0;  // 0 = one half-life.
  double sample_hours = 6;
  int pass_interval_seconds = 60;
  bool json = false;
  bool show_calls = false;
  std::string csv;  // Empty = none. The others likewise.
  std::string svg;
  std::string events;
};

// Nothing to do but print `text` and exit.
struct Exit {
  int code = 0;
  std::string text;
};

std::variant<Options, Exit> ParseOptions(int argc, char** argv);

}  // namespace priorityd::batch_frontend

#endif  // PRIORITYD_CLIENT_EXAMPLES_BATCH_FRONTEND_OPTIONS_H_
