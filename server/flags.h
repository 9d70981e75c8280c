// The command line of priorityd.
#ifndef PRIORITYD_SERVER_FLAGS_H_
#define PRIORITYD_SERVER_FLAGS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace priorityd {

struct Flags {
  std::string listen = "127.0.0.1:7411";
  std::string data_dir;       // One of this
  std::string database_url;   // and this is set, the latter by one of three ways.
  bool migrate_only = false;  // Bring the database's schema up to date and stop.
  bool json_log = false;
  int max_message_mib = 256;
  int max_jobs = 200'000;
  int max_records = 100'000;
  int memory_budget_mib = 1024;
  int drain_seconds = 20;
  int max_staleness_seconds = 600;
  int max_commit_seconds = 30;
  int max_clock_offset_seconds = 10;
  int recalculation_threads = 4;
  int history_interval_seconds = 3600;  // 0 = no history.
  int history_days = 30;
  // Not empty = print this and stop: the answer to --help or --version.
  std::string answer;
};

// Reads the file that --database_url_file names. INVALID_ARGUMENT: one line that says what is
// wrong.
absl::StatusOr<Flags> ParseFlags(int argc, const char* const* argv);

}  // namespace priorityd

#endif  // PRIORITYD_SERVER_FLAGS_H_
