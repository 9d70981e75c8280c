// Reads the files of an import.
#ifndef PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_SITE_FILES_H_
#define PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_SITE_FILES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/slurm/conf/slurm_conf.h"
#include "engine/slurm/dump/qos_table.h"
#include "engine/slurm/dump/sacctmgr_dump.h"
#include "engine/slurm/words/file_violations.h"
#include "engine/slurm/words/unused_setting.h"
#include "server/administration/imports/opening_usage_import.h"
#include "server/administration/imports/own_objects.h"

namespace priorityd::administration {

enum class FileKind { kSlurmConf, kSacctmgrDump, kQos, kSshare, kUsage, kPriorityd };

struct SiteFile {
  slurm::SourceFile file;
  FileKind kind;
};

// The parts of the files without effect that are errors.
struct UnusedRules {
  bool strict = false;              // Losses and settings of UnusedClass::kLimits.
  std::vector<std::string> accept;  // Names of settings of kNumbers that are not; `*` = all.
};

// The parsed files.
struct SiteFiles {
  std::vector<slurm::SourceFile> slurm_conf_files;  // The main one first.
  std::optional<slurm::SlurmConf> slurm_conf;
  std::optional<slurm::QosTable> qos;
  std::optional<slurm::SacctmgrDump> dump;
  std::vector<OpeningUsageFile> opening_usage;
  std::optional<OwnObjects> own_objects;
  // The cluster named in the files, the first one if they differ; empty = none.
  std::string cluster_name;
  std::vector<std::string> losses;  // Meaningful options that were skipped, each with its place.
  std::vector<std::string> warnings;
  std::vector<slurm::UnusedSetting> unused;  // Without effect here; by class, then name.
};

// INVALID_ARGUMENT (INVALID_FILE) with the errors of all files, each with file and line. Several
// dumps, QOS tables or files of kPriorityd, and files that name different clusters (unless
// `cluster_is_given`) are errors; so is what `rules` make one.
absl::StatusOr<SiteFiles> ReadSiteFiles(std::vector<SiteFile> files, bool cluster_is_given,
                                        UnusedRules rules = {});

}  // namespace priorityd::administration

#endif  // PRIORITYD_SERVER_ADMINISTRATION_IMPORTS_SITE_FILES_H_
