#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/priority_client.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/reservation.pb.h"

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

// As one word of a shell.
std::string ShellWord(const std::string& text) {
  const bool is_plain = absl::c_all_of(
      text, [](char c) { return absl::ascii_isalnum(c) || absl::StrContains("_-.,:=+/@%", c); });
  return is_plain ? text : absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// The command that creates it, with a line break; empty for one that has ended.
std::string ReservationCommand(const ::priority::v1::Reservation& reservation, absl::Time now) {
  std::map<std::string, std::string> words(reservation.attributes().begin(),
                                           reservation.attributes().end());
  absl::Time end;
  const bool has_end = absl::ParseTime(absl::RFC3339_full, words["EndTime"], &end, nullptr);
  if (has_end && end <= now) return "";
  // A reservation cannot begin in the past.
  if (words["State"] == "ACTIVE") words["StartTime"] = "now";
  std::string command = absl::StrCat(
      "prioctl scontrol create ", ShellWord(absl::StrCat("ReservationName=", reservation.name())));
  for (const char* word :
       {"StartTime", "EndTime", "Nodes", "PartitionName", "Users", "Accounts", "Flags"}) {
    if (words[word].empty()) continue;
    absl::StrAppend(&command, " ", ShellWord(absl::StrCat(word, "=", words[word])));
  }
  return absl::StrCat(command, "\n");
}

// Their nodes and times have to fit those of the new cluster: they are in no file.
absl::Status PrintReservations(const client::PriorityClient& client, Console& console) {
  ::priority::v1::ListReservationsRequest request;
  request.set_cluster(client.options().cluster);
  const auto list = client.ListReservations(request);
  if (!list.ok()) return list.status();
  for (const ::priority::v1::Reservation& reservation : list->reservations()) {
    console.out << ReservationCommand(reservation, absl::Now());
  }
  return absl::OkStatus();
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
  return PrintReservations(client, console);
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
