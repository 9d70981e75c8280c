#include "client/prioctl/record.h"

#include <cstdint>
#include <deque>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "client/prioctl/input_file.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/progress_bar.h"
#include "client/prioctl/text.h"
#include "client/usage_batcher.h"

namespace priorityd::prioctl {
namespace {

using priority::v1::RecordUsageResponse;
using priority::v1::UsageRecord;
using priority::v1::UsageRecordResult;

// Records one file and keeps the account of what became of its records.
class Recording {
 public:
  Recording(const RecordOptions& options, const client::PriorityClient& client, InputFile& file,
            Console& console)
      : options_(options),
        file_(file),
        console_(console),
        reader_(&file.stream(), file.name()),
        progress_(&console.err, console.err_is_terminal),
        batcher_(&client, options.batch_size,
                 [this](int64_t, const RecordUsageResponse& answer) { Take(answer); }) {}

  // Sends every record. A line that is no record ends it: the lines before are
  // sent, those after it are not.
  absl::Status SendAll();

  void PrintSummary();

  int64_t rejected() const { return total_.rejected(); }
  int64_t answered() const { return total_.accepted() + total_.duplicates() + total_.rejected(); }

 private:
  void Take(const RecordUsageResponse& answer);
  void PrintRejection(int64_t line, const UsageRecordResult& result);

  const RecordOptions& options_;
  InputFile& file_;
  Console& console_;
  JsonLinesReader reader_;
  ProgressBar progress_;
  client::UsageBatcher batcher_;
  std::deque<int64_t> lines_;  // of the records that wait for their answer
  RecordUsageResponse total_;  // results only if they are printed
};

absl::Status Recording::SendAll() {
  UsageRecord record;
  absl::StatusOr<bool> more = reader_.Next(&record);
  for (; more.ok() && *more; more = reader_.Next(&record)) {
    lines_.push_back(reader_.line_number());
    const absl::Status sent = batcher_.Add(std::move(record));
    if (!sent.ok()) return sent;
  }
  const absl::Status sent = batcher_.Flush();
  return sent.ok() ? more.status() : sent;
}

void Recording::Take(const RecordUsageResponse& answer) {
  total_.set_accepted(total_.accepted() + answer.accepted());
  total_.set_duplicates(total_.duplicates() + answer.duplicates());
  total_.set_rejected(total_.rejected() + answer.rejected());
  if (options_.json) total_.mutable_results()->MergeFrom(answer.results());
  for (int i = 0; i < answer.results_size(); ++i) {
    if (answer.results(i).status() == priority::v1::USAGE_RECORD_STATUS_REJECTED) {
      PrintRejection(lines_[i], answer.results(i));
    }
  }
  lines_.erase(lines_.begin(), lines_.begin() + answer.results_size());
  progress_.Show(reader_.bytes_read(), file_.size(),
                 absl::StrCat(CountText(answered()), " records"));
}

void Recording::PrintRejection(int64_t line, const UsageRecordResult& result) {
  progress_.Clear();
  // The service counts records within a batch; the line of the file says more.
  absl::string_view field = result.field();
  if (const size_t dot = field.find("].");
      absl::StartsWith(field, "records[") && dot != absl::string_view::npos) {
    field.remove_prefix(dot + 2);
  }
  absl::string_view reason = priority::v1::RejectionReason_Name(result.reason());
  absl::ConsumePrefix(&reason, "REJECTION_REASON_");
  const bool named = absl::StartsWith(result.message(), field);
  console_.err << absl::StrCat(file_.name(), " line ", line, ": rejected, ", reason, ": ",
                               named ? "" : field, named ? "" : ": ", result.message(), "\n");
}

void Recording::PrintSummary() {
  progress_.Clear();
  if (options_.json) {
    console_.out << ToJson(total_) << '\n';
    return;
  }
  console_.out << absl::StrCat(CountText(total_.accepted()), " accepted, ",
                               CountText(total_.duplicates()), " duplicate, ",
                               CountText(total_.rejected()), " rejected\n");
}

}  // namespace

absl::Status Run(const RecordOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::StatusOr<InputFile> file = InputFile::Open(options.file);
  if (!file.ok()) return file.status();
  Recording recording(options, client, *file, console);
  const absl::Status status = recording.SendAll();
  if (status.ok() || recording.answered() > 0) recording.PrintSummary();
  if (!status.ok()) return status;
  if (recording.rejected() == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(CountText(recording.rejected()), " of ",
                                                    CountText(recording.answered()),
                                                    " records were rejected"));
}

}  // namespace priorityd::prioctl
