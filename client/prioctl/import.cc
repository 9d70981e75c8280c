#include "client/prioctl/import.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/prioctl/input_file.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/slurm_conf_files.h"
#include "client/prioctl/table.h"
#include "client/prioctl/text.h"

namespace priorityd::prioctl {
namespace {

using priority::v1::File;
using priority::v1::ImportCounts;
using priority::v1::ImportResponse;

absl::StatusOr<std::vector<File>> ReadFiles(const ImportOptions& options) {
  if (options.kind == priority::v1::FILE_KIND_SLURM_CONF) return ReadSlurmConf(options.file);
  absl::StatusOr<std::string> content = ReadFile(options.file);
  if (!content.ok()) return content.status();
  File file;
  file.set_name(options.file);
  file.set_kind(options.kind);
  file.set_content(*std::move(content));
  return std::vector<File>{std::move(file)};
}

void AddCounts(Table& table, const char* name, const ImportCounts& counts) {
  if (counts.created() + counts.updated() + counts.unchanged() + counts.deleted() == 0) return;
  table.AddRow({name, absl::StrCat(counts.created()), absl::StrCat(counts.updated()),
                absl::StrCat(counts.unchanged()), absl::StrCat(counts.deleted())});
}

void PrintPolicy(const ImportResponse& response, std::ostream& out) {
  out << "policy version " << response.policy_version()
      << (response.policy_created() ? " (new)" : " (unchanged)") << "; " << response.skipped_lines()
      << " lines have nothing to do with priority\n";
}

void Print(const ImportResponse& response, const ImportOptions& options, std::ostream& out) {
  out << (options.validate_only ? "valid: would import " : "imported ") << options.file
      << " into cluster " << response.cluster() << (response.cluster_created() ? " (new)" : "")
      << "\n";
  Table table({{""}, {"CREATED", true}, {"UPDATED", true}, {"UNCHANGED", true}, {"DELETED", true}});
  AddCounts(table, "associations", response.associations());
  AddCounts(table, "qos", response.qos());
  AddCounts(table, "partitions", response.partitions());
  AddCounts(table, "opening usage", response.opening_usage());
  table.Print(out);
  if (options.kind == priority::v1::FILE_KIND_SLURM_CONF) PrintPolicy(response, out);
  if (response.has_takes_effect_at()) {
    out << "takes effect at " << TimeText(response.takes_effect_at())
        << "; `prioctl recalculate` makes it now\n";
  } else if (!options.validate_only) {
    out << "takes effect with `prioctl recalculate`\n";
  }
}

}  // namespace

absl::Status Run(const ImportOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::StatusOr<std::vector<File>> files = ReadFiles(options);
  if (!files.ok()) return files.status();
  priority::v1::ImportRequest request;
  for (File& file : *files) *request.add_files() = std::move(file);
  request.set_clean(options.clean);
  request.set_validate_only(options.validate_only);
  const absl::StatusOr<ImportResponse> response = client.Import(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  console.err << WarningLines(response->warnings());
  Print(*response, options, console.out);
  return absl::OkStatus();
}

}  // namespace priorityd::prioctl
