// The options of `prioctl policy replay`.
#ifndef PRIORITYD_CLIENT_PRIOCTL_POLICY_REPLAY_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_POLICY_REPLAY_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/time/time.h"
#include "engine/plan/plan.h"

namespace priorityd::prioctl {

// `prioctl policy replay HISTORY`, or `prioctl policy replay --ledger`
struct ReplayOptions {
  std::string history;                    // `-` = standard input; empty with `ledger`
  bool ledger = false;                    // Jobs and the site are the server's.
  std::optional<absl::Time> ledger_from;  // Records that end then or later; unset = all.
  std::optional<absl::Time> from;
  std::optional<absl::Time> to;
  std::string site;  // a folder; empty = none, as of the files below
  std::string slurm_conf;
  std::string dump;
  std::string qos;
  int64_t nodes = 0;  // 0 = as slurm.conf or the trace has it, here and below
  int64_t cpus_per_node = 0;
  std::string grants;                 // a file; empty = none
  std::string prices;                 // the same; with `ledger` then the server's
  std::vector<std::string> policies;  // none = that of slurm.conf
  std::optional<plan::Backfill> backfill;
  std::optional<uint32_t> max_jobs;
  std::optional<absl::Duration> window;
  double load_factor = 1;
  uint32_t users = 10;  // 0 = all
  bool forecast = false;
  bool json = false;
  std::string svg;          // empty = no picture
  std::string write_sacct;  // empty = not written
};

// Adds them to `app`, whose callbacks share `options`.
void AddReplayOptions(CLI::App* app, const std::shared_ptr<ReplayOptions>& options);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_POLICY_REPLAY_OPTIONS_H_
