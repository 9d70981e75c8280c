#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/priority_client.h"
#include "priority/v1/admin_service.pb.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::ExportResponse;
using ::priority::v1::File;

// `prioctl export FOLDER`
struct ExportOptions {
  std::string folder;
};

// `prioctl import WORD` takes a file of the kind; empty = it is read with another one.
std::string ImportWord(::priority::v1::FileKind kind) {
  switch (kind) {
    case ::priority::v1::FILE_KIND_SACCTMGR_DUMP:
      return "sacctmgr";
    case ::priority::v1::FILE_KIND_QOS:
      return "qos";
    case ::priority::v1::FILE_KIND_PRIORITYD:
      return "priorityd";
    case ::priority::v1::FILE_KIND_SLURM_CONF:
      return "slurm-conf";
    default:
      return "";
  }
}

// The files by the names that they get: without folders, which included files may have.
std::string FlatName(const File& file) {
  return std::filesystem::path(file.name()).filename().string();
}

absl::StatusOr<std::map<std::string, const File*>> NamedFiles(const ExportResponse& response) {
  std::map<std::string, const File*> files;
  for (const File& file : response.files()) {
    const std::string name = FlatName(file);
    if (name.empty() || name == "." || name == "..") {
      return absl::InternalError(
          absl::StrCat("files: got the name ", absl::Utf8SafeCHexEscape(file.name())));
    }
    if (files.emplace(name, &file).second) continue;
    return absl::FailedPreconditionError(
        absl::StrCat("two files of the cluster have the name ", absl::Utf8SafeCHexEscape(name),
                     " in different folders, which one folder cannot have"));
  }
  return files;
}

// Comments for slurm.conf, whose Include lines still name the folders of these files.
std::string NotesOnIncludes(const ExportResponse& response) {
  std::string notes;
  for (const File& file : response.files()) {
    const std::string name = FlatName(file);
    if (file.kind() != ::priority::v1::FILE_KIND_SLURM_CONF || name == file.name()) continue;
    absl::StrAppend(&notes, "# prioctl export wrote ", absl::Utf8SafeCHexEscape(file.name()),
                    " as ", absl::Utf8SafeCHexEscape(name),
                    " beside this file: change its Include line before an import.\n");
  }
  return notes;
}

absl::Status WriteNew(const std::filesystem::path& path, const std::string& content) {
  if (std::error_code error; std::filesystem::exists(path, error)) {
    return absl::AlreadyExistsError(
        absl::StrCat(path.string(), ": exists already, want a folder without it"));
  }
  std::ofstream file(path, std::ios::binary);
  file << content;
  file.close();
  if (file.good()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(path.string(), ": cannot be written"));
}

std::string ExportedLine(const File& file, const std::string& path, bool is_included) {
  const std::string shown = absl::Utf8SafeCHexEscape(path);
  const std::string word = is_included ? "" : ImportWord(file.kind());
  if (!word.empty()) return absl::StrCat("prioctl import ", word, " ", shown);
  return absl::StrCat("# ", shown, " is included by slurm.conf",
                      FlatName(file) == file.name()
                          ? ""
                          : absl::StrCat(" as ", absl::Utf8SafeCHexEscape(file.name())));
}

absl::Status Run(const ExportOptions& options, const client::PriorityClient& client,
                 Console& console) {
  ::priority::v1::ExportRequest request;
  request.set_cluster(client.options().cluster);
  const auto response = client.Export(request);
  if (!response.ok()) return response.status();
  const auto files = NamedFiles(*response);
  if (!files.ok()) return files.status();
  std::error_code error;
  std::filesystem::create_directories(options.folder, error);
  bool has_conf = false;
  for (const File& file : response->files()) {
    const std::filesystem::path path = std::filesystem::path(options.folder) / FlatName(file);
    const bool is_conf = file.kind() == ::priority::v1::FILE_KIND_SLURM_CONF;
    const bool is_main_conf = is_conf && !has_conf;
    has_conf |= is_conf;
    const std::string notes = is_main_conf ? NotesOnIncludes(*response) : "";
    if (absl::Status s = WriteNew(path, notes + file.content()); !s.ok()) return s;
    console.out << ExportedLine(file, path.string(), is_conf && !is_main_conf) << '\n';
  }
  return absl::OkStatus();
}

void AddExportOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ExportOptions>(app, line, Run);
  app->add_option("FOLDER", options->folder, "Where to; created if it does not exist")
      ->required()
      ->type_name("");
}

}  // namespace

const Command kExportCommand = {
    "export", "Write the files from which `import` makes the same cluster again", AddExportOptions};

}  // namespace priorityd::prioctl
