#include "engine/slurm/conf/slurm_conf.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "engine/slurm/conf/conf_files.h"
#include "engine/slurm/conf/conf_lines.h"
#include "engine/slurm/conf/conf_words.h"
#include "engine/slurm/conf/node_lines.h"
#include "engine/slurm/conf/partition_lines.h"
#include "engine/slurm/conf/policy_parameter_table.h"
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
    conf_.policy = policy_.Finish(unused_);
    conf_.has_policy = policy_.any();
    conf_.partitions =
        partitions_.Finish(nodes_, conf_.policy.preempt_mode, conf_.all_nodes_partitions);
    conf_.policy.partition_rules = partitions_.rules();
    if (nodes_.any()) MakeCluster();
    conf_.unused = unused_.Sorted();
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
      LookForUnused(ConfWordPlace::kNode, line);
      nodes_.ReadNode(line);
    } else if (absl::EqualsIgnoreCase(key, "NodeSet")) {
      nodes_.ReadNodeSet(line);
    } else if (absl::EqualsIgnoreCase(key, "PartitionName")) {
      LookForUnused(ConfWordPlace::kPartition, line);
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
    LookForUnused(ConfWordPlace::kFile, line);
    return ours;
  }

  // The words after the first one of a line like DownNodes= belong to that line.
  void LookForUnused(ConfWordPlace place, const ConfLine& line) {
    for (const ConfPair& pair : line.pairs) {
      const bool is_first = &pair == &line.pairs[0];
      const bool is_policy = FindPolicyParameter(pair.key) != nullptr;
      if (place == ConfWordPlace::kFile && !is_policy) unused_.Add(UnusedWordsOf(pair));
      if (IsActedOn(place, pair.key)) continue;
      if (AddUnused(place, pair) || (place == ConfWordPlace::kFile && !is_first)) continue;
      if (!is_printed_) AddUnknown(place, line, pair);
    }
  }

  // Whether the table of words without effect has it.
  bool AddUnused(ConfWordPlace place, const ConfPair& pair) {
    const UnusedWord* word = FindUnusedWord(place, pair.key);
    if (word == nullptr) return IsConfWord(place, pair.key);
    const bool idle = IsIdleValue(pair.value) || absl::EqualsIgnoreCase(pair.value, word->idle);
    if (idle) return true;
    UnusedSetting setting{.place = pair.place.Where(),
                          .name = std::string(SpelledName(*word, pair.key)),
                          .value = pair.value,
                          .unused_class = word->unused_class,
                          .effect = std::string(word->effect)};
    unused_.Add(std::move(setting));
    return true;
  }

  void AddUnknown(ConfWordPlace place, const ConfLine& line, const ConfPair& pair) {
    if (absl::StartsWithIgnoreCase(pair.key, "Priority")) return;  // An error already.
    conf_.losses.push_back(absl::StrCat(
        pair.place.Where(), ": ", pair.key, ": got an unknown parameter",
        place == ConfWordPlace::kFile ? "" : absl::StrCat(" of a ", line.pairs[0].key, " line"),
        ", which no Slurm from 14.11 to 25.11 has; ignored"));
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
  UnusedSettings unused_;
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
