#include "client/prioctl/sacctmgr/dump.h"

#include <fstream>
#include <sstream>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/sacctmgr/change.h"
#include "client/prioctl/sacctmgr/selection.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

constexpr char kStandardOutput[] = "-";

absl::StatusOr<std::string> ReadFile(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file.good()) return absl::InvalidArgumentError(absl::StrCat(name, ": cannot be read"));
  return content.str();
}

absl::Status WriteFile(const std::string& name, const std::string& content) {
  std::ofstream file(name, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  if (!file.good()) return absl::InvalidArgumentError(absl::StrCat(name, ": cannot be written"));
  return absl::OkStatus();
}

std::string CountsLine(absl::string_view what, const v1::ImportCounts& counts) {
  return absl::StrCat("  ", what, ": ", counts.created(), " added, ", counts.updated(),
                      " modified, ", counts.deleted(), " deleted, ", counts.unchanged(),
                      " as they were\n");
}

int64_t Changes(const v1::ImportCounts& counts) {
  return counts.created() + counts.updated() + counts.deleted();
}

void PrintImport(const v1::ImportResponse& response, const Settings& settings, Terminal& terminal) {
  if (settings.json) return terminal.PrintJson(response);
  std::string text = absl::StrCat("For cluster ", response.cluster(), "\n");
  for (const std::string& warning : response.warnings()) {
    absl::StrAppend(&text, " Warning: ", warning, "\n");
  }
  absl::StrAppend(&text, CountsLine("Associations", response.associations()));
  if (Changes(response.qos()) > 0) absl::StrAppend(&text, CountsLine("QOS", response.qos()));
  terminal.Print(text);
}

bool ChangesNothing(const v1::ImportResponse& response) {
  return !response.cluster_created() &&
         Changes(response.associations()) + Changes(response.qos()) == 0;
}

absl::StatusOr<v1::ImportRequest> LoadRequest(const Command& command) {
  const absl::StatusOr<Selection> selection = ReadSelection(command);
  if (!selection.ok()) return selection.status();
  if (selection->file.size() != 1) {
    return absl::InvalidArgumentError("load: got no file, want load file=NAME");
  }
  absl::StatusOr<std::string> content = ReadFile(selection->file.front());
  if (!content.ok()) return content.status();
  v1::ImportRequest request;
  request.set_cluster(selection->cluster());
  request.set_clean(selection->clean);
  v1::File& file = *request.add_files();
  file.set_name(selection->file.front());
  file.set_content(*std::move(content));
  file.set_kind(v1::FILE_KIND_SACCTMGR_DUMP);
  return request;
}

}  // namespace

absl::Status Dump(const Command& command, const client::PriorityClient& client, const Settings&,
                  Terminal& terminal) {
  const absl::StatusOr<Selection> selection = ReadSelection(command);
  if (!selection.ok()) return selection.status();
  v1::ExportRequest request;
  request.set_cluster(selection->cluster());
  const auto answer = client.Export(request);
  if (!answer.ok()) return answer.status();
  const auto dump = absl::c_find_if(answer->files(), [](const v1::File& file) {
    return file.kind() == v1::FILE_KIND_SACCTMGR_DUMP;
  });
  if (dump == answer->files().end()) return absl::InternalError("dump: the answer has none");
  std::string name = selection->file.empty() ? "" : selection->file.front();
  if (name == kStandardOutput) {
    terminal.Print(dump->content());
    return absl::OkStatus();
  }
  if (name.empty()) {
    const std::string& cluster =
        selection->cluster().empty() ? client.options().cluster : selection->clusters.front();
    if (cluster.empty()) {
      return absl::InvalidArgumentError("dump: got no name, want dump CLUSTER [file=NAME]");
    }
    name = absl::StrCat("./", cluster, ".cfg");
    terminal.Print(absl::StrCat(" No filename given, using ", name, ".\n"));
  }
  return WriteFile(name, dump->content());
}

absl::Status Load(const Command& command, const client::PriorityClient& client,
                  const Settings& settings, Terminal& terminal) {
  absl::StatusOr<v1::ImportRequest> request = LoadRequest(command);
  if (!request.ok()) return request.status();
  request->set_validate_only(true);
  const auto expected = client.Import(*request);
  if (!expected.ok()) return expected.status();
  if (!settings.json) PrintImport(*expected, settings, terminal);
  if (ChangesNothing(*expected)) {
    if (settings.json) PrintImport(*expected, settings, terminal);
    terminal.Print(settings.json ? "" : absl::StrCat(kNothingAdded, "\n"));
    return absl::OkStatus();
  }
  const absl::StatusOr<bool> go_on = MayGoOn(settings, kCommitQuestion, terminal);
  if (!go_on.ok() || !*go_on) return go_on.status();
  request->set_validate_only(false);
  const auto done = client.Import(*request);
  if (done.ok() && settings.json) PrintImport(*done, settings, terminal);
  return done.status();
}

}  // namespace priorityd::sacctmgr
