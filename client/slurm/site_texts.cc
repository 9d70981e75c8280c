#include "client/slurm/site_texts.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd::slurm_frontend {
namespace {

constexpr int kPassAttempts = 5;

// The columns of squeue, a heading above each; PriorityLong is the number.
constexpr char kQueueColumns[] =
    "JobArrayID:|,UserName:|,Account:|,Partition:|,QOS:|,State:|,TimeLimit:|,NumNodes:|,NumCPUs:|,"
    "tres-alloc:|,SubmitTime:|,EligibleTime:|,AccrueTime:|,StartTime:|,Dependency:|,Nice:|,"
    "Reason:|,Reservation:|,PriorityLong:|";

const Arguments& SharesCommand() {
  static const auto& command =
      *new Arguments{"sshare", "-a", "-m", "-P", "-o", "Cluster,Account,User,Partition,RawUsage"};
  return command;
}

const Arguments& PrioritiesCommand() {
  static const auto& command =
      *new Arguments{"sprio", "-o", "%i|%r|%Y|%S|%N|%a|%b|%f|%j|%p|%q|%t|%A|%B|%F|%J|%P|%Q|%T"};
  return command;
}

// Runs one command after another, until the first failure.
class Reader {
 public:
  explicit Reader(const RunCommand& run) : run_(run) {}

  std::string Read(const Arguments& arguments) {
    if (!status_.ok()) return "";
    absl::StatusOr<std::string> text = run_(arguments, "");
    if (text.ok()) return *std::move(text);
    status_ = text.status();
    return "";
  }
  const absl::Status& status() const { return status_; }

 private:
  const RunCommand& run_;
  absl::Status status_;
};

}  // namespace

std::string ConfigValue(const std::string& config, const std::string& name) {
  for (const absl::string_view line : absl::StrSplit(config, '\n')) {
    const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits('=', 1));
    if (parts.size() != 2) continue;
    if (!absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(parts[0]), name)) continue;
    const absl::string_view value = absl::StripAsciiWhitespace(parts[1]);
    return value == "(null)" ? "" : std::string(value);
  }
  return "";
}

absl::StatusOr<SiteTexts> ReadSiteTexts(const RunCommand& run) {
  Reader reader(run);
  SiteTexts texts;
  texts.config = reader.Read({"scontrol", "show", "config"});
  texts.cluster = ConfigValue(texts.config, "ClusterName");
  if (reader.status().ok() && texts.cluster.empty()) {
    return absl::FailedPreconditionError("scontrol show config: got no ClusterName");
  }
  texts.nodes = reader.Read({"scontrol", "-o", "show", "node"});
  texts.partitions = reader.Read({"scontrol", "-o", "show", "partition"});
  texts.dump = reader.Read({"sacctmgr", "dump", texts.cluster, "file=/dev/stdout"});
  texts.associations =
      reader.Read({"sacctmgr", "-P", "show", "assoc", absl::StrCat("cluster=", texts.cluster),
                   "format=id,account,user,partition"});
  texts.qos = reader.Read({"sacctmgr", "-P", "show", "qos"});
  if (!reader.status().ok()) return reader.status();
  return texts;
}

absl::StatusOr<std::string> ReadQueue(const RunCommand& run) {
  // Prints all task ids of an array, and times in the reader's form.
  return run({"env", "TZ=UTC", "SLURM_TIME_FORMAT=standard", "SLURM_BITSTR_LEN=0", "squeue", "-a",
              "-O", kQueueColumns},
             "");
}

absl::StatusOr<std::string> ReadSharesOf(const RunCommand& run, const std::string& cluster) {
  Arguments command = SharesCommand();
  command.insert(command.begin() + 1, {"-M", cluster});
  return run(command, "");
}

absl::StatusOr<PassTexts> ReadPassTexts(const RunCommand& run, bool with_priorities) {
  Reader reader(run);
  PassTexts texts;
  texts.shares = reader.Read(SharesCommand());
  for (int attempt = 0; attempt < kPassAttempts; ++attempt) {
    absl::StatusOr<std::string> queue = ReadQueue(run);
    if (!queue.ok()) return queue.status();
    texts.queue = *std::move(queue);
    if (with_priorities) texts.priorities = reader.Read(PrioritiesCommand());
    std::string after = reader.Read(SharesCommand());
    if (!reader.status().ok()) return reader.status();
    if (after == texts.shares) return texts;
    texts.shares = std::move(after);
  }
  return absl::AbortedError("slurmctld makes passes faster than its tools can be read");
}

}  // namespace priorityd::slurm_frontend
