#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/file_kind.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/slurm_conf_files.h"
#include "client/prioctl/queue/commands.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/question.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/text/unused_text.h"
#include "client/prioctl/usage/commands.h"
#include "client/priority_client.h"
#include "client/slurm/tables/policy_zone.h"
#include "client/slurm/tables/sshare_json.h"
#include "priority/v1/admin_service.pb.h"

namespace priorityd::prioctl {
namespace {

// `prioctl import KIND FILE`
struct ImportOptions {
  ::priority::v1::FileKind kind = ::priority::v1::FILE_KIND_UNSPECIFIED;
  std::string file;
  std::string include_from;  // a folder more for Includes
  bool clean = false;
  bool yes = false;  // deletes without a question
  bool validate_only = false;
  bool strict = false;  // refuses a file of which something would be lost
  std::vector<std::string> accept;
  bool json = false;
};

using ::priority::v1::File;
using ::priority::v1::ImportCounts;
using ::priority::v1::ImportResponse;

absl::StatusOr<std::vector<File>> ReadFiles(const ImportOptions& options) {
  if (options.kind == ::priority::v1::FILE_KIND_SLURM_CONF) {
    return ReadSlurmConf(options.file, options.include_from);
  }
  absl::StatusOr<std::string> content = ReadSlurmFile(options.file);
  if (!content.ok()) return content.status();
  const bool is_sshare = options.kind == ::priority::v1::FILE_KIND_SSHARE;
  if (is_sshare && LookAt(*content) == FileKind::kJson) {
    content = tables::SshareTableOfJson(options.file, *content);
    if (!content.ok()) return content.status();
  }
  File file;
  file.set_name(options.file);
  file.set_kind(options.kind);
  file.set_content(*std::move(content));
  return std::vector<File>{std::move(file)};
}

FileKind KindOf(::priority::v1::FileKind kind) {
  switch (kind) {
    case ::priority::v1::FILE_KIND_SLURM_CONF:
      return FileKind::kSlurmConf;
    case ::priority::v1::FILE_KIND_SACCTMGR_DUMP:
      return FileKind::kSacctmgrDump;
    case ::priority::v1::FILE_KIND_QOS:
      return FileKind::kQosTable;
    case ::priority::v1::FILE_KIND_SSHARE:
      return FileKind::kShareTable;
    case ::priority::v1::FILE_KIND_USAGE:
      return FileKind::kUsageLines;
    case ::priority::v1::FILE_KIND_PRIORITYD:
      return FileKind::kPriorityd;
    default:
      return FileKind::kUnknown;
  }
}

// Whether the file is of the kind, and of the cluster, that it is meant for.
absl::Status CheckFile(const File& file, const std::string& cluster, const Console& console) {
  const FileKind kind = KindOf(file.kind());
  absl::Status right_kind = CheckKind(file.name(), file.content(), kind);
  if (!right_kind.ok()) return right_kind;
  return CheckCluster(file.name(), ClusterNamed(kind, file.content()), cluster, console);
}

int Deleted(const ImportResponse& response) {
  return static_cast<int>(response.associations().deleted() + response.qos().deleted() +
                          response.partitions().deleted() + response.opening_usage().deleted() +
                          response.grants().deleted() + response.leases().deleted() +
                          response.user_merges().deleted() + response.user_aliases().deleted());
}

// The objects that --clean would delete, of the kinds of the file.
std::string DeletedText(const ImportResponse& response, ::priority::v1::FileKind kind) {
  if (kind == ::priority::v1::FILE_KIND_PRIORITYD) {
    return absl::StrCat("Revoke ", CountedText(response.grants().deleted(), "grant"), ", end ",
                        CountedText(response.leases().deleted(), "lease"), ", unmerge ",
                        CountedText(response.user_merges().deleted(), "user"), ", remove ",
                        response.user_aliases().deleted(), " aliases");
  }
  return absl::StrCat("Delete ", CountedText(response.associations().deleted(), "association"),
                      ", ", response.qos().deleted(), " QOS, ",
                      CountedText(response.partitions().deleted(), "partition"));
}

// Says what --clean would delete, and asks.
absl::Status AskToClean(const ImportOptions& options, ::priority::v1::ImportRequest request,
                        const client::PriorityClient& client, Console& console) {
  request.set_validate_only(true);
  const absl::StatusOr<ImportResponse> what = client.Import(std::move(request));
  if (!what.ok()) return what.status();
  if (Deleted(*what) == 0) return absl::OkStatus();
  return Ask(absl::StrCat(DeletedText(*what, options.kind), " of cluster ", what->cluster(),
                          " that ", options.file, " does not name?"),
             options.yes, console);
}

// The command that makes a change take effect now; on a manual clock it needs the time.
std::string RecalculateCommand(const client::PriorityClient& client, const std::string& cluster) {
  ::priority::v1::GetPolicyRequest request;
  request.set_cluster(cluster);
  const absl::StatusOr<::priority::v1::Policy> policy = client.GetPolicy(std::move(request));
  const bool is_manual = policy.ok() && policy->parameters().clock() == "manual";
  return is_manual ? "`prioctl recalculate --as-of=TIME`, since its clock is manual"
                   : "`prioctl recalculate`";
}

void AddCounts(Table& table, const char* name, const ImportCounts& counts) {
  if (counts.created() + counts.updated() + counts.unchanged() + counts.deleted() == 0) return;
  table.AddRow({name, absl::StrCat(counts.created()), absl::StrCat(counts.updated()),
                absl::StrCat(counts.unchanged()), absl::StrCat(counts.deleted())});
}

void PrintPolicy(const ImportResponse& response, std::ostream& out) {
  out << "policy version " << response.policy_version()
      << (response.policy_created() ? " (new)" : " (unchanged)") << "; "
      << CountedText(response.skipped_lines(), "line")
      << (response.skipped_lines() == 1 ? " has" : " have") << " no effect\n";
}

void Print(const ImportResponse& response, const ImportOptions& options,
           const client::PriorityClient& client, std::ostream& out) {
  out << (options.validate_only ? "valid: would import " : "imported ") << options.file
      << " into cluster " << response.cluster() << (response.cluster_created() ? " (new)" : "")
      << "\n";
  Table table({{""}, {"CREATED", true}, {"UPDATED", true}, {"UNCHANGED", true}, {"DELETED", true}});
  AddCounts(table, "associations", response.associations());
  AddCounts(table, "qos", response.qos());
  AddCounts(table, "partitions", response.partitions());
  AddCounts(table, "opening usage", response.opening_usage());
  AddCounts(table, "grants", response.grants());
  AddCounts(table, "transfers", response.grant_transfers());
  AddCounts(table, "leases", response.leases());
  AddCounts(table, "merged users", response.user_merges());
  AddCounts(table, "aliases", response.user_aliases());
  table.Print(out);
  if (options.kind == ::priority::v1::FILE_KIND_SLURM_CONF) PrintPolicy(response, out);
  if (response.has_takes_effect_at()) {
    out << "takes effect at "
        << TimeText(response.takes_effect_at(), tables::PolicyZone(client, response.cluster()))
        << "; `prioctl recalculate` makes it now\n";
  } else if (!options.validate_only) {
    out << "takes effect with " << RecalculateCommand(client, response.cluster()) << '\n';
  }
  if (response.import_id() > 0 && !options.validate_only) {
    out << "`prioctl import undo --import " << response.import_id() << "` undoes it\n";
  }
  PrintUnused(response.unused(), out);
}

absl::Status Run(const ImportOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::StatusOr<std::vector<File>> files = ReadFiles(options);
  if (!files.ok()) return files.status();
  ::priority::v1::ImportRequest request;
  for (const File& file : *files) {
    absl::Status checked = CheckFile(file, client.options().cluster, console);
    if (!checked.ok()) return checked;
  }
  for (File& file : *files) *request.add_files() = std::move(file);
  request.set_clean(options.clean);
  request.set_validate_only(options.validate_only);
  request.set_strict(options.strict);
  request.mutable_accept()->Assign(options.accept.begin(), options.accept.end());
  if (options.clean && !options.validate_only && !options.yes) {
    absl::Status asked = AskToClean(options, request, client, console);
    if (!asked.ok()) return asked;
  }
  const absl::StatusOr<ImportResponse> response = client.Import(std::move(request));
  if (!response.ok()) return response.status();
  if (options.json) return PrintJson(*response, console.out);
  console.err << LossAndWarningLines(response->warnings(), response->losses());
  Print(*response, options, client, console.out);
  return absl::OkStatus();
}

void AddImportGroup(CLI::App* import, CommandLine& line) {
  struct Kind {
    const char* name;
    ::priority::v1::FileKind kind;
    const char* what;
  };
  static constexpr Kind kKinds[] = {
      {"slurm-conf", ::priority::v1::FILE_KIND_SLURM_CONF,
       "slurm.conf: the policy, nodes and partitions; the files it Includes are read beside it"},
      {"sacctmgr", ::priority::v1::FILE_KIND_SACCTMGR_DUMP,
       "What `sacctmgr dump` wrote: accounts, users, shares, limits"},
      {"qos", ::priority::v1::FILE_KIND_QOS,
       "What `sacctmgr -P show qos format=Name,Priority,UsageFactor,...` printed"},
      {"sshare", ::priority::v1::FILE_KIND_SSHARE,
       "What `sshare -a -l -P`, or --json, printed: the decayed usage to start from"},
      {"usage", ::priority::v1::FILE_KIND_USAGE,
       "Lines of account|user|partition|usage: the decayed usage to start from, exact"},
      {"priorityd", ::priority::v1::FILE_KIND_PRIORITYD,
       "What `export` wrote of price books, grants, leases, merged users and aliases"},
  };
  for (const Kind& kind : kKinds) {
    CLI::App* app = import->add_subcommand(kind.name, kind.what);
    auto options = Adopt<ImportOptions>(app, line, Run);
    options->kind = kind.kind;
    app->add_option("FILE", options->file, "The file")->required()->type_name("");
    app->add_flag("--clean", options->clean, "Delete what the file does not name");
    if (kind.kind == ::priority::v1::FILE_KIND_SLURM_CONF) {
      AddIncludeFrom(app, options->include_from);
    }
    AddYes(app, options->yes);
    AddValidateOnly(app, options->validate_only);
    AddStrict(app, options->strict);
    if (kind.kind == ::priority::v1::FILE_KIND_SLURM_CONF) AddAccept(app, options->accept);
    AddJson(app, options->json);
  }
  AddCommand(kImportSqueueCommand, import, line);
  AddCommand(kImportSacctCommand, import, line);
  AddCommand(kImportUndoCommand, import, line);
}

}  // namespace

const Command kImportCommand = {"import", "Import a Slurm site's own files", AddImportGroup};

}  // namespace priorityd::prioctl
