#include "engine/slurm/conf/slurm_conf.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "engine/slurm/conf/conf_files.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/conf/conf_words.h"
#include "engine/slurm/conf/node_lines.h"
#include "engine/slurm/conf/partition_lines.h"
#include "engine/slurm/conf/policy_parameters.h"
#include "engine/slurm/words/name.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::slurm {
namespace {

class SlurmConfReader {
 public:
  absl::StatusOr<SlurmConf> Read(absl::Span<const SourceFile> files) {
    ReadAll(files, violations_);
    if (!violations_.empty()) return violations_.ToStatus();
    return std::move(conf_);
  }

  absl::StatusOr<SlurmConf> ReadAccepted(absl::Span<const SourceFile> files) {
    FileViolations of_files;
    ReadAll(files, of_files);
    if (!of_files.empty()) return of_files.ToStatus();
    for (const errors::FieldViolation& violation : violations_.kept()) {
      conf_.unread.push_back(absl::StrCat(violation.field, ": ", violation.description));
    }
    return std::move(conf_);
  }

 private:
  // Errors of the files themselves go to `of_files`.
  void ReadAll(absl::Span<const SourceFile> files, FileViolations& of_files) {
    is_printed_ = IsPrintedConf(files[0].content);
    if (is_printed_) WarnOfPrinted(files[0]);
    ReadConfLines(files, of_files, conf_.warnings, [this](const ConfLine& line) { Use(line); });
    conf_.policy = policy_.Finish();
    conf_.has_policy = policy_.any();
    conf_.partitions =
        partitions_.Finish(nodes_, policy_.preemptible(), conf_.all_nodes_partitions);
    if (nodes_.any()) MakeCluster();
    LimitWarnings(conf_.warnings);
    LimitWarnings(conf_.losses);
  }

  void WarnOfPrinted(const SourceFile& file) {
    conf_.warnings.push_back(absl::StrCat(
        file.name,
        ": this is what `scontrol show config` printed: it has no nodes and partitions, ",
        "and NO_NORMAL_ALL stands there for any of the NO_NORMAL flags; slurm.conf has them"));
  }

  void Use(const ConfLine& line) {
    const absl::string_view key = line.pairs[0].key;
    bool ours = true;
    if (absl::EqualsIgnoreCase(key, "NodeName")) {
      LookForUnknown(ConfWordPlace::kNode, line);
      nodes_.ReadNode(line);
    } else if (absl::EqualsIgnoreCase(key, "NodeSet")) {
      nodes_.ReadNodeSet(line);
    } else if (absl::EqualsIgnoreCase(key, "PartitionName")) {
      LookForUnknown(ConfWordPlace::kPartition, line);
      partitions_.Read(line);
    } else {
      ours = UseParameters(line);
    }
    if (!ours) {
      ++conf_.skipped_lines;
    } else if (!line.violation.empty()) {
      violations_.Add(line.violation_place.file->name, line.violation_place.line, line.violation);
    }
  }

  // Whether priorityd uses any parameter of the line.
  bool UseParameters(const ConfLine& line) {
    bool ours = false;
    for (const ConfPair& pair : line.pairs) {
      if (UseName(pair) || policy_.Read(pair)) ours = true;
    }
    if (!ours && !is_printed_) LookForUnknown(ConfWordPlace::kFile, line);
    return ours;
  }

  // Losses of words that no version of Slurm has. The words after the first one of a line like
  // DownNodes= belong to that line.
  void LookForUnknown(ConfWordPlace place, const ConfLine& line) {
    for (const ConfPair& pair : line.pairs) {
      const bool is_known = IsConfWord(place, pair.key);
      const bool is_refused = absl::StartsWithIgnoreCase(pair.key, "Priority");
      if (!is_known && !is_refused) {
        conf_.losses.push_back(absl::StrCat(
            pair.place.Where(), ": ", pair.key, ": got an unknown parameter",
            place == ConfWordPlace::kFile ? "" : absl::StrCat(" of a ", line.pairs[0].key, " line"),
            ", which no Slurm from 14.11 to 25.11 has; ignored"));
      }
      if (place == ConfWordPlace::kFile) return;
    }
  }

  bool UseName(const ConfPair& pair) {
    if (absl::EqualsIgnoreCase(pair.key, "ClusterName")) {
      if (IsNull(pair.value)) return true;
      WarnOfRepeat(pair, !conf_.cluster_name.empty());
      conf_.cluster_name = absl::AsciiStrToLower(pair.value);
      if (pair.value.empty()) Error(pair, "got \"\", want a name");
      if (absl::Status s = CheckName(pair.value); !s.ok()) Error(pair, s.message());
      return true;
    }
    if (absl::EqualsIgnoreCase(pair.key, "SlurmctldParameters")) {
      WarnOfRateLimit(pair);
      return true;
    }
    if (!absl::EqualsIgnoreCase(pair.key, "Licenses")) return false;
    if (IsNull(pair.value)) return true;
    WarnOfRepeat(pair, conf_.has_licenses);
    conf_.has_licenses = true;
    absl::StatusOr<priority::TresMap> licenses = ParseLicenses(pair.value);
    if (licenses.ok()) {
      conf_.licenses = *std::move(licenses);
    } else {
      Error(pair, licenses.status().message());
    }
    return true;
  }

  void Error(const ConfPair& pair, absl::string_view message) {
    violations_.Add(pair.place.file->name, pair.place.line, absl::StrCat(pair.key, ": ", message));
  }

  void WarnOfRepeat(const ConfPair& pair, bool repeated) {
    if (!repeated) return;
    conf_.warnings.push_back(
        absl::StrCat(pair.place.Where(), ": ", pair.key, " is set again; this value is used"));
  }

  // The auth file takes these words and no others of the parameter.
  void WarnOfRateLimit(const ConfPair& pair) {
    std::vector<absl::string_view> words;
    for (absl::string_view word : absl::StrSplit(pair.value, ',')) {
      word = absl::StripAsciiWhitespace(word);
      if (absl::StartsWithIgnoreCase(word, "rl_")) words.push_back(word);
    }
    if (words.empty()) return;
    conf_.warnings.push_back(absl::StrCat(
        pair.place.Where(), ": ", pair.key, ": ", absl::StrJoin(words, ","),
        " has no effect in a policy: the auth file (--auth_file) limits the rate of requests, ",
        "by the same words"));
  }

  void MakeCluster() {
    NodeTotals totals = nodes_.Totals();
    priority::Cluster cluster;
    cluster.name = conf_.cluster_name;
    cluster.nodes = totals.nodes;
    cluster.cpus = totals.tres["cpu"];
    cluster.tres = std::move(totals.tres);
    cluster.tres.insert(conf_.licenses.begin(), conf_.licenses.end());
    conf_.cluster = std::move(cluster);
  }

  SlurmConf conf_;
  FileViolations violations_;
  bool is_printed_ = false;  // By scontrol show config.
  PolicyParameters policy_{violations_, conf_.warnings, conf_.losses};
  NodeLines nodes_{violations_, conf_.warnings};
  PartitionLines partitions_{violations_, conf_.warnings};
};

}  // namespace

absl::StatusOr<SlurmConf> ParseSlurmConf(absl::Span<const SourceFile> files) {
  return SlurmConfReader().Read(files);
}

absl::StatusOr<SlurmConf> ParseAcceptedSlurmConf(absl::Span<const SourceFile> files) {
  return SlurmConfReader().ReadAccepted(files);
}

}  // namespace priorityd::slurm
