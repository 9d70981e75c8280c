#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/file_kind.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/commands.h"
#include "client/prioctl/usage/record.h"
#include "client/priority_client.h"
#include "client/slurm/tables/sacct_records.h"
#include "client/usage_batcher.h"

namespace priorityd::prioctl {
namespace {

// `prioctl import sacct FILE`
struct ImportSacctOptions {
  std::string file;  // `-` = standard input
  std::string source = "sacct";
  bool validate_only = false;
  bool strict = false;  // refuses a file of which something would be lost
  bool json = false;
};

using ::priority::v1::RecordUsageResponse;
using ::priority::v1::UsageRecordResult;

constexpr int kBatchSize = 1000;

absl::StatusOr<tables::SacctRecords> ReadRecords(const ImportSacctOptions& options) {
  const absl::StatusOr<std::string> content = ReadFile(options.file);
  if (!content.ok()) return content.status();
  if (LookAt(*content) != FileKind::kJson) {
    absl::Status kind = CheckKind(options.file, *content, FileKind::kSacct);
    if (!kind.ok()) return kind;
  }
  return tables::ReadSacctRecords(options.file, *content, options.source, absl::LocalTimeZone());
}

void Add(const RecordUsageResponse& answer, RecordUsageResponse* total) {
  total->set_accepted(total->accepted() + answer.accepted());
  total->set_duplicates(total->duplicates() + answer.duplicates());
  total->set_rejected(total->rejected() + answer.rejected());
  total->mutable_results()->MergeFrom(answer.results());
}

void PrintRejections(const tables::SacctRecords& file, const RecordUsageResponse& total,
                     std::ostream& err) {
  for (int i = 0; i < total.results_size(); ++i) {
    const UsageRecordResult& result = total.results(i);
    if (result.status() != ::priority::v1::USAGE_RECORD_STATUS_REJECTED) continue;
    err << absl::StrCat(file.places[i], ": rejected, ", RejectionText(result), "\n");
  }
}

std::string LeftOutText(const tables::SacctRecords& file) {
  return absl::StrCat("left out: ", CountedText(file.running, "running job"), ", ",
                      CountText(file.unstarted), " that used nothing, ",
                      CountedText(file.steps, "step"), "\n");
}

// Names each rejected record by its place, and fails if there is one.
absl::Status Run(const ImportSacctOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::StatusOr<tables::SacctRecords> file = ReadRecords(options);
  if (!file.ok()) return file.status();
  if (absl::Status s = ReportLosses(file->losses, options.strict, console.err); !s.ok()) return s;
  if (options.validate_only) {
    console.out << "valid: would record " << CountedText(file->records.size(), "job") << "; "
                << LeftOutText(*file);
    return absl::OkStatus();
  }
  RecordUsageResponse total;
  client::UsageBatcher batcher(
      &client, kBatchSize,
      [&](int64_t, const RecordUsageResponse& answer) { Add(answer, &total); });
  absl::Status sent;
  for (auto& record : file->records) {
    if (sent = batcher.Add(std::move(record)); !sent.ok()) return sent;
  }
  if (sent = batcher.Flush(); !sent.ok()) return sent;
  PrintRejections(*file, total, console.err);
  if (options.json) {
    console.out << ToJson(total) << '\n';
  } else {
    console.out << absl::StrCat(CountText(total.accepted()), " accepted, ",
                                CountText(total.duplicates()), " duplicate, ",
                                CountText(total.rejected()), " rejected; ")
                << LeftOutText(*file);
  }
  if (total.rejected() == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(CountText(total.rejected()), " of ", CountedText(total.results_size(), "record"),
                   total.rejected() == 1 ? " was rejected" : " were rejected"));
}

void AddImportSacctOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ImportSacctOptions>(app, line, Run);
  app->add_option("FILE", options->file, "The file; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("--source", options->source, "The source of these records")
      ->type_name("NAME")
      ->capture_default_str();
  AddValidateOnly(app, options->validate_only);
  AddStrict(app, options->strict);
  AddJson(app, options->json);
}

}  // namespace

const Command kImportSacctCommand = {
    "sacct",
    "What `sacct -a --json`, or `sacct -a -X -D -P --format=JobIDRaw,User,Account,Partition,QOS,"
    "Start,End,Suspended,AllocTRES` printed: a usage record for each job that is over; the same "
    "again counts once; times are of your time zone. Submit, Eligible, Timelimit, State, "
    "ExitCode, TotalCPU, ReqTRES, NodeList, and MaxRSS of steps (without -X) are sent "
    "with the record",
    AddImportSacctOptions};

}  // namespace priorityd::prioctl
