// What the user asked prioctl to do.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMAND_LINE_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMAND_LINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/time/time.h"
#include "client/authorization.h"
#include "client/prioctl/administration_options.h"
#include "client/prioctl/budget_options.h"
#include "client/prioctl/jobs/scontrol.h"
#include "client/prioctl/jobs/squeue.h"
#include "client/prioctl/picture_file.h"
#include "client/prioctl/plan_options.h"
#include "client/prioctl/queue_options.h"
#include "client/prioctl/replay_options.h"
#include "client/prioctl/sacctmgr_options.h"
#include "client/prioctl/slurm_table.h"
#include "client/prioctl/sreport_options.h"
#include "client/prioctl/watch_options.h"
#include "client/prioctl/what_if_options.h"
#include "priority/v1/admin_service.pb.h"

namespace priorityd::prioctl {

// A time given by --as-of; unset = the service's default.
using AsOf = std::optional<absl::Time>;

// `prioctl import KIND FILE`
struct ImportOptions {
  ::priority::v1::FileKind kind = ::priority::v1::FILE_KIND_UNSPECIFIED;
  std::string file;
  std::string include_from;  // a folder more for Includes
  bool clean = false;
  bool yes = false;  // deletes without a question
  bool validate_only = false;
  bool strict = false;  // refuses a file of which something would be lost
  bool json = false;
};

// `prioctl rank [FILE]`
struct RankOptions {
  std::string file;  // `-` = standard input; empty = the tracked queue
  AsOf as_of;
  uint32_t limit = 0;  // 0 = all
  bool best_only = false;
  bool explain = false;  // with a column for each factor
  bool json = false;
};

// `prioctl explain FILE`
struct ExplainOptions {
  std::string file;  // `-` = standard input; empty = the tracked queue
  std::string job_id;
  std::string partition;
  std::string qos;
  std::string compare_to;  // Empty = none.
  std::string compare_to_partition;
  std::string compare_to_qos;
  std::string nodes;  // --nodes; empty = its start is not told
  AsOf as_of;
  bool json = false;
};

// `prioctl record FILE`
struct RecordOptions {
  std::string file;  // `-` = standard input
  int batch_size = 1000;
  bool json = false;
};

// `prioctl import sacct FILE`
struct ImportSacctOptions {
  std::string file;  // `-` = standard input
  std::string source = "sacct";
  bool validate_only = false;
  bool strict = false;  // refuses a file of which something would be lost
  bool json = false;
};

// `prioctl sshare`, by Slurm's options.
struct SshareOptions {
  bool all = false;                   // -a
  bool long_listing = false;          // -l
  bool partitions = false;            // -m
  bool users_only = false;            // -U
  std::vector<std::string> accounts;  // -A
  std::vector<std::string> users;     // -u
  std::string format;                 // -o
  bool help_format = false;           // -e
  bool header = true;                 // not -n
  SlurmLayout layout = SlurmLayout::kFixedWidth;
  bool full_precision = false;
  bool json = false;
};

// `prioctl shares`
struct SharesOptions {
  bool accounts_only = false;
  PictureOptions picture;  // Empty = a table.
  bool json = false;
};

// `prioctl share-history`
struct ShareHistoryOptions {
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  bool subtree = false;
  AsOf start;  // unset = all that is kept
  AsOf end;
  bool json = false;
};

// `prioctl sprio`, by Slurm's options.
struct SprioOptions {
  bool weights = false;                 // -w
  bool long_listing = false;            // -l
  bool normalized = false;              // -n
  std::string format;                   // -o
  std::string sort;                     // -S
  std::vector<std::string> users;       // -u
  std::vector<std::string> jobs;        // -j
  std::vector<std::string> partitions;  // -p
  bool header = true;                   // not -h
  AsOf as_of;
  bool json = false;
};

// `prioctl recalculate`
struct RecalculateOptions {
  AsOf as_of;
  bool forget_future = false;
  bool json = false;
};

// `prioctl status`
struct StatusOptions {
  bool json = false;
};

// `prioctl reset-usage ACCOUNT`
struct ResetUsageOptions {
  std::string account;
  std::string user;
  std::string partition;
  std::string comment;
  bool yes = false;  // without a question
  bool validate_only = false;
  bool json = false;
};

// `prioctl rebuild-usage`
struct RebuildUsageOptions {
  bool validate_only = false;
  bool json = false;
};

// `prioctl usage void`
struct UsageVoidOptions {
  std::vector<std::string> sources;
  std::vector<std::string> jobs;
  std::vector<std::string> users;
  std::vector<std::string> accounts;
  AsOf from;  // Of the records' ends.
  AsOf to;
  AsOf recorded_from;
  AsOf recorded_to;
  int64_t void_id = 0;  // Goes on with that one; 0 = a new one.
  std::string comment;
  bool yes = false;  // without a question
  bool validate_only = false;
  bool json = false;
};

// `prioctl usage restore ID`
struct UsageRestoreOptions {
  int64_t void_id = 0;
  std::string comment;
  bool json = false;
};

// `prioctl policy apply FILE`
struct PolicyApplyOptions {
  std::string file;               // `-` = standard input
  std::string include_from;       // a folder more for Includes
  int64_t expected_version = -1;  // -1 = whatever the newest is.
  std::string comment;
  bool retroactive = false;
  bool validate_only = false;
  bool json = false;
};

// `prioctl policy show`
struct PolicyShowOptions {
  int64_t version = 0;  // 0 = the newest
  bool json = false;
};

// `prioctl policy lint [FILE]`
struct PolicyLintOptions {
  std::string file;    // Jobs, or a slurm.conf; `-` = standard input; empty = the policy alone
  std::string policy;  // A slurm.conf; empty = `file` if it is one, else the policy in force
  AsOf as_of;
  bool json = false;
};

// `prioctl cluster add|modify NAME`
struct ClusterOptions {
  std::string name;
  std::optional<uint32_t> nodes;
  std::optional<double> cpus;
  std::optional<std::map<std::string, double>> tres;
  bool add = false;  // create it if it does not exist
  bool validate_only = false;
  bool json = false;
};

// `prioctl me [USER]`
struct MeOptions {
  std::string user;  // Empty = the calling one.
  bool json = false;
};

using Command = std::variant<
    std::monostate, ImportOptions, RankOptions, ExplainOptions, RecordOptions, SshareOptions,
    ShareHistoryOptions, SprioOptions, RecalculateOptions, ResetUsageOptions, RebuildUsageOptions,
    UsageVoidOptions, UsageRestoreOptions, PolicyApplyOptions, PolicyShowOptions, PolicyLintOptions,
    ClusterOptions, SreportOptions, QueueUpdateOptions, QueueRemoveOptions, QueueListOptions,
    WatchOptions, WhatIfOptions, PolicyDiffOptions, StatusOptions, PolicyVersionsOptions,
    PolicyRollbackOptions, AuditOptions, ClusterListOptions, ClusterDeleteOptions, SacctmgrOptions,
    MeOptions, ImportSacctOptions, jobs::SqueueOptions, jobs::ScontrolOptions, PlanOptions,
    PreemptOptions, BudgetOptions, BudgetEventsOptions, QosUsageOptions, CostOptions, SacctOptions,
    SeffOptions, SharesOptions, ReplayOptions>;

// A whole command line.
struct CommandLine {
  std::string tool = "prioctl";           // as errors name it: prioctl, or the link it is called by
  std::string server = "127.0.0.1:7411";  // or several, divided by commas
  std::string cluster;
  bool cluster_from_environment = false;  // not typed
  absl::Duration timeout;
  client::ProofOptions proof;
  client::TlsOptions tls;
  Command command;
};

// A command line that asks for help or the version, or is wrong.
struct Exit {
  int code = 0;      // 0, or 2 for a wrong command line
  std::string text;  // for standard output, or for standard error if wrong
};

// Reads the command line. Called under the name of a tool of Slurm's (a link),
// prioctl is that tool: sshare, sprio, sreport, sacctmgr, squeue or
// scontrol.
std::variant<CommandLine, Exit> ParseCommandLine(int argc, const char* const* argv);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMAND_LINE_H_
