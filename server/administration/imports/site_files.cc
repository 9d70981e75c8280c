#include "server/administration/imports/site_files.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "engine/errors/violations.h"
#include "engine/slurm/tables/sshare_table.h"
#include "engine/slurm/tables/usage_lines.h"
#include "server/administration/imports/unused_settings.h"

namespace priorityd::administration {
namespace {

// Whether a line of the text is neither blank nor a comment.
bool HasLines(absl::string_view text) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const absl::string_view content = absl::StripAsciiWhitespace(line);
    if (!content.empty() && content.front() != '#') return true;
  }
  return false;
}

class Reader {
 public:
  Reader(bool cluster_is_given, UnusedRules rules)
      : cluster_is_given_(cluster_is_given), rules_(std::move(rules)) {}

  void Read(SiteFile file) {
    if (MayNotBeEmpty(file.kind) && !HasLines(file.file.content)) {
      violations_.Add(file.file.name, "got no lines, want lines that are not comments");
      return;
    }
    switch (file.kind) {
      case FileKind::kSlurmConf:
        site_.slurm_conf_files.push_back(std::move(file.file));
        break;
      case FileKind::kSacctmgrDump:
        ReadOnly(file.file, slurm::ParseSacctmgrDump(file.file), &site_.dump);
        break;
      case FileKind::kQos:
        ReadOnly(file.file, slurm::ParseQosTable(file.file), &site_.qos);
        break;
      case FileKind::kSshare:
        ReadSshare(file.file);
        break;
      case FileKind::kUsage:
        ReadUsage(file.file);
        break;
      case FileKind::kPriorityd:
        ReadOnly(file.file, ReadOwnObjects(file.file), &site_.own_objects);
        break;
    }
  }

  absl::StatusOr<SiteFiles> Finish() && {
    ReadSlurmConf();
    if (site_.dump.has_value()) {
      Name("sacctmgr dump", site_.dump->cluster);
      Warn(site_.dump->warnings);
      Lose(site_.dump->losses);
    }
    if (site_.qos.has_value()) Lose(site_.qos->losses);
    site_.unused = FindUnused(site_);
    CheckUnused(site_.unused, rules_, &violations_);
    Warn(UnusedWarnings(site_.unused));
    if (rules_.strict) AddLosses(site_.losses, &violations_);
    if (absl::Status s = violations_.ToStatus(); !s.ok()) return s;
    return std::move(site_);
  }

 private:
  // The table's own error reports a missing header; an included file may be empty.
  bool MayNotBeEmpty(FileKind kind) const {
    return kind == FileKind::kSacctmgrDump || kind == FileKind::kUsage ||
           kind == FileKind::kPriorityd ||
           (kind == FileKind::kSlurmConf && site_.slurm_conf_files.empty());
  }

  // Stores the result for a kind that allows one file.
  template <typename T>
  void ReadOnly(const slurm::SourceFile& file, absl::StatusOr<T> read, std::optional<T>* field) {
    if (!read.ok()) {
      violations_.Add("files", read.status());
    } else if (field->has_value()) {
      violations_.Add(file.name, "got a second file of its kind, want one");
    } else {
      *field = *std::move(read);
    }
  }

  void ReadSlurmConf() {
    if (site_.slurm_conf_files.empty()) return;
    absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseSlurmConf(site_.slurm_conf_files);
    if (!conf.ok()) {
      violations_.Add("files", conf.status());
      return;
    }
    Name(site_.slurm_conf_files.front().name, conf->cluster_name);
    Warn(conf->warnings);
    Lose(conf->losses);
    site_.slurm_conf = *std::move(conf);
  }

  void ReadSshare(const slurm::SourceFile& file) {
    absl::StatusOr<slurm::SshareTable> table = slurm::ParseSshareTable(file);
    if (!table.ok()) {
      violations_.Add("files", table.status());
      return;
    }
    Name(file.name, table->cluster);
    site_.opening_usage.push_back(
        {file.name, table->has_partition_column, std::move(table->usage)});
  }

  void ReadUsage(const slurm::SourceFile& file) {
    absl::StatusOr<std::vector<slurm::OpeningUsage>> usage = slurm::ParseUsageLines(file);
    if (!usage.ok()) {
      violations_.Add("files", usage.status());
      return;
    }
    site_.opening_usage.push_back({file.name, true, *std::move(usage)});
  }

  void Name(const std::string& file, const std::string& cluster) {
    if (cluster.empty()) return;
    if (site_.cluster_name.empty()) site_.cluster_name = cluster;
    if (site_.cluster_name == cluster || cluster_is_given_) return;
    violations_.Add(file, absl::StrCat("got cluster ", slurm::Quoted(cluster), ", want ",
                                       slurm::Quoted(site_.cluster_name),
                                       " as in the other files, or the request to name one"));
  }

  void Lose(const std::vector<std::string>& losses) {
    site_.losses.insert(site_.losses.end(), losses.begin(), losses.end());
  }

  void Warn(const std::vector<std::string>& warnings) {
    site_.warnings.insert(site_.warnings.end(), warnings.begin(), warnings.end());
  }

  const bool cluster_is_given_;
  const UnusedRules rules_;
  SiteFiles site_;
  errors::Violations violations_{"INVALID_FILE"};
};

}  // namespace

absl::StatusOr<SiteFiles> ReadSiteFiles(std::vector<SiteFile> files, bool cluster_is_given,
                                        UnusedRules rules) {
  Reader reader(cluster_is_given, std::move(rules));
  for (SiteFile& file : files) reader.Read(std::move(file));
  return std::move(reader).Finish();
}

}  // namespace priorityd::administration
