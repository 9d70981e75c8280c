#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::Backup;
using ::priority::v1::CreateBackupRequest;
using ::priority::v1::ListBackupsRequest;
using ::priority::v1::VerifyBackupRequest;

// `prioctl backup create`
struct BackupCreateOptions {
  bool verify = false;
  bool json = false;
};

// `prioctl backup verify [NAME]`
struct BackupVerifyOptions {
  std::string name;
  bool json = false;
};

// `prioctl backup list`
struct BackupListOptions {
  bool json = false;
};

std::string VerifiedText(const Backup& backup) {
  return backup.has_verified_at() ? "restored, same content, usage counted again: good"
                                  : "not verified yet";
}

absl::Status PrintBackup(const absl::StatusOr<Backup>& backup, bool json, Console& console) {
  if (!backup.ok()) return backup.status();
  if (json) return PrintJson(*backup, console.out);
  console.out << backup->name() << ": " << CountText(backup->bytes()) << " bytes, "
              << VerifiedText(*backup) << '\n';
  return absl::OkStatus();
}

absl::Status Run(const BackupCreateOptions& options, const client::PriorityClient& client,
                 Console& console) {
  CreateBackupRequest request;
  request.set_verify(options.verify);
  return PrintBackup(client.CreateBackup(std::move(request)), options.json, console);
}

absl::Status Run(const BackupVerifyOptions& options, const client::PriorityClient& client,
                 Console& console) {
  VerifyBackupRequest request;
  request.set_name(options.name);
  return PrintBackup(client.VerifyBackup(std::move(request)), options.json, console);
}

absl::Status Run(const BackupListOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const auto list = client.ListBackups(ListBackupsRequest());
  if (!list.ok()) return list.status();
  if (options.json) return PrintJson(*list, console.out);
  Table table({{"BACKUP"}, {"BEGUN"}, {"BYTES", true}, {"SCHEMA", true}, {"VERIFIED"}});
  for (const Backup& backup : list->backups()) {
    const bool damaged = !backup.fault().empty();
    table.AddRow({backup.name(), TimeText(backup.begun_at()),
                  damaged ? "" : CountText(backup.bytes()),
                  damaged ? "" : absl::StrCat(backup.schema_version()),
                  damaged ? "damaged" : TimeText(backup.verified_at(), backup.has_verified_at())});
  }
  table.Print(console.out);
  for (const Backup& backup : list->backups()) {
    if (!backup.fault().empty()) console.out << "damaged: " << backup.fault() << '\n';
  }
  console.out << "in " << list->folder() << " on the service's host\n";
  return absl::OkStatus();
}

void AddBackupCreateOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<BackupCreateOptions>(app, line, Run);
  app->add_flag("--verify", options->verify, "Verify it too");
  AddJson(app, options->json);
}

void AddBackupVerifyOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<BackupVerifyOptions>(app, line, Run);
  app->add_option("NAME", options->name, "The backup; default the newest that is not damaged")
      ->type_name("");
  AddJson(app, options->json);
}

void AddBackupListOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<BackupListOptions>(app, line, Run);
  AddJson(app, options->json);
}

constexpr Command kBackupCommands[] = {
    {"create", "Back up the embedded database while the service runs", AddBackupCreateOptions},
    {"verify", "Restore a backup into a PostgreSQL of its own, and compare it",
     AddBackupVerifyOptions},
    {"list", "List the backups", AddBackupListOptions},
};

void AddBackupGroup(CLI::App* app, CommandLine& line) {
  app->require_subcommand(1);
  AddCommands(kBackupCommands, app, line);
}

}  // namespace

const Command kBackupCommand = {"backup", "Backups of the embedded database", AddBackupGroup};

}  // namespace priorityd::prioctl
