#include "server/administration/site_files.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "server/errors/error_details.h"
#include "server/slurm/sshare_table.h"
#include "server/slurm/usage_lines.h"

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

// Gathers the errors of several files.
class Faults {
 public:
  void Add(const absl::Status& status) {
    const std::vector<slurm::ParseError> errors = slurm::ParseErrorsOf(status);
    if (errors.empty()) violations_.push_back({"files", std::string(status.message())});
    for (const slurm::ParseError& error : errors) {
      violations_.push_back({error.Where(), error.message});
    }
    left_out_ += slurm::ParseErrorCountOf(status) - static_cast<int64_t>(errors.size());
  }
  void Add(const std::string& file, const std::string& fault) {
    violations_.push_back({file, fault});
  }
  absl::Status ToStatus() const {
    if (violations_.empty()) return absl::OkStatus();
    return errors::BadRequestError("INVALID_FILE", violations_, left_out_);
  }

 private:
  std::vector<errors::FieldViolation> violations_;
  int64_t left_out_ = 0;
};

class Reader {
 public:
  explicit Reader(bool cluster_is_given) : cluster_is_given_(cluster_is_given) {}

  void Read(SiteFile file) {
    if (MayNotBeEmpty(file.kind) && !HasLines(file.file.content)) {
      faults_.Add(file.file.name, "got no lines, want some that are no comments");
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
    }
  }

  absl::StatusOr<SiteFiles> Finish() && {
    ReadSlurmConf();
    if (site_.dump.has_value()) {
      Name("sacctmgr dump", site_.dump->cluster);
      Warn(site_.dump->warnings);
    }
    if (absl::Status faults = faults_.ToStatus(); !faults.ok()) return faults;
    return std::move(site_);
  }

 private:
  // A table says itself that it has no header, an included file may be empty.
  bool MayNotBeEmpty(FileKind kind) const {
    return kind == FileKind::kSacctmgrDump || kind == FileKind::kUsage ||
           (kind == FileKind::kSlurmConf && site_.slurm_conf_files.empty());
  }

  // Takes what was read of a kind of which there may be one file.
  template <typename T>
  void ReadOnly(const slurm::SourceFile& file, absl::StatusOr<T> read, std::optional<T>* field) {
    if (!read.ok()) {
      faults_.Add(read.status());
    } else if (field->has_value()) {
      faults_.Add(file.name, "got a second file of its kind, want one");
    } else {
      *field = *std::move(read);
    }
  }

  void ReadSlurmConf() {
    if (site_.slurm_conf_files.empty()) return;
    absl::StatusOr<slurm::SlurmConf> conf = slurm::ParseSlurmConf(site_.slurm_conf_files);
    if (!conf.ok()) {
      faults_.Add(conf.status());
      return;
    }
    Name(site_.slurm_conf_files.front().name, conf->cluster_name);
    Warn(conf->warnings);
    site_.slurm_conf = *std::move(conf);
  }

  void ReadSshare(const slurm::SourceFile& file) {
    absl::StatusOr<slurm::SshareTable> table = slurm::ParseSshareTable(file);
    if (!table.ok()) {
      faults_.Add(table.status());
      return;
    }
    Name(file.name, table->cluster);
    site_.opening_usage.push_back(
        {file.name, table->has_partition_column, std::move(table->usage)});
  }

  void ReadUsage(const slurm::SourceFile& file) {
    absl::StatusOr<std::vector<slurm::OpeningUsage>> usage = slurm::ParseUsageLines(file);
    if (!usage.ok()) {
      faults_.Add(usage.status());
      return;
    }
    site_.opening_usage.push_back({file.name, true, *std::move(usage)});
  }

  void Name(const std::string& file, const std::string& cluster) {
    if (cluster.empty()) return;
    if (site_.cluster_name.empty()) site_.cluster_name = cluster;
    if (site_.cluster_name == cluster || cluster_is_given_) return;
    faults_.Add(file, absl::StrCat("got cluster ", slurm::Quoted(cluster), ", want ",
                                   slurm::Quoted(site_.cluster_name),
                                   " as in the other files, or the request to name one"));
  }

  void Warn(const std::vector<std::string>& warnings) {
    site_.warnings.insert(site_.warnings.end(), warnings.begin(), warnings.end());
  }

  const bool cluster_is_given_;
  SiteFiles site_;
  Faults faults_;
};

}  // namespace

absl::StatusOr<SiteFiles> ReadSiteFiles(std::vector<SiteFile> files, bool cluster_is_given) {
  Reader reader(cluster_is_given);
  for (SiteFile& file : files) reader.Read(std::move(file));
  return std::move(reader).Finish();
}

absl::Status FileError(const absl::Status& status) {
  if (slurm::ParseErrorsOf(status).empty()) return status;
  Faults faults;
  faults.Add(status);
  return faults.ToStatus();
}

}  // namespace priorityd::administration
