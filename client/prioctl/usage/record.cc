#include "client/prioctl/usage/record.h"

#include <signal.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <deque>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/file_kind.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/input/line_feed.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/interrupt.h"
#include "client/prioctl/text/progress_bar.h"
#include "client/prioctl/text/text.h"
#include "client/prioctl/usage/commands.h"
#include "client/priority_client.h"
#include "client/usage_batcher.h"

namespace priorityd::prioctl {
namespace {

// `prioctl record FILE`
struct RecordOptions {
  std::string file;  // `-` = standard input
  int batch_size = 1000;
  bool json = false;
};

using ::priority::v1::RecordUsageResponse;
using ::priority::v1::UsageRecord;
using ::priority::v1::UsageRecordResult;

// No record that was read waits longer to be sent.
constexpr absl::Duration kFlushAfter = absl::Seconds(1);

// Records one file and keeps the account of what became of its records.
class Recording {
 public:
  Recording(const RecordOptions& options, const client::PriorityClient& client,
            const InputFile& file, Console& console)
      : options_(options),
        file_(file),
        console_(console),
        feed_(options.file),
        progress_(&console.err, console.err_is_terminal),
        batcher_(&client, options.batch_size,
                 [this](int64_t, const RecordUsageResponse& answer) { HandleAnswer(answer); }) {}

  // Sends every record, until the end or Interrupt. A line that is no record counts as rejected.
  absl::Status SendAll();

  // Once: lets SendAll send what was read, and end. Twice: ends the program. From any thread.
  void Interrupt();

  void PrintSummary();

  bool interrupted() const { return feed_.stopped(); }
  int64_t lines() const { return feed_.line_number(); }
  int64_t rejected() const { return total_.rejected(); }
  int64_t answered() const { return total_.accepted() + total_.duplicates() + total_.rejected(); }

 private:
  absl::Status SendLine(absl::string_view line);
  absl::Status RejectLine(absl::string_view line, absl::string_view why);
  absl::Status Flush();
  // For how long more of the file may be waited for.
  absl::Duration Patience() const;
  void HandleAnswer(const RecordUsageResponse& answer);
  void PrintRejection(int64_t line, const UsageRecordResult& result);

  const RecordOptions& options_;
  const InputFile& file_;
  Console& console_;
  LineFeed feed_;
  ProgressBar progress_;
  client::UsageBatcher batcher_;
  std::deque<int64_t> lines_;  // of the records that wait for their answer
  bool any_record_ = false;
  absl::Time waiting_since_;   // The first of them, or the last flush.
  RecordUsageResponse total_;  // results only if they are printed
};

absl::Status Recording::SendAll() {
  std::string line;
  for (;;) {
    if (Patience() <= absl::ZeroDuration()) {
      if (absl::Status sent = Flush(); !sent.ok()) return sent;
    }
    const LineFeed::Event event = feed_.Next(Patience(), &line);
    if (event == LineFeed::Event::kIdle) continue;
    if (event != LineFeed::Event::kLine) break;
    if (absl::Status sent = SendLine(line); !sent.ok()) return sent;
  }
  const absl::Status sent = Flush();
  return sent.ok() ? feed_.status() : sent;
}

absl::Duration Recording::Patience() const {
  if (lines_.empty()) return absl::InfiniteDuration();
  return waiting_since_ + kFlushAfter - absl::Now();
}

absl::Status Recording::SendLine(absl::string_view line) {
  if (feed_.line_number() == 1) line = WithoutByteOrderMark(line);
  line = absl::StripAsciiWhitespace(line);
  if (line.empty()) return absl::OkStatus();
  UsageRecord record;
  const absl::Status parsed = ParseJson(line, &record);
  if (!parsed.ok()) return RejectLine(line, parsed.message());
  if (lines_.empty()) waiting_since_ = absl::Now();
  lines_.push_back(feed_.line_number());
  any_record_ = true;
  return batcher_.Add(std::move(record));
}

absl::Status Recording::RejectLine(absl::string_view line, absl::string_view why) {
  // A file of another kind has no record at all.
  if (!any_record_) {
    absl::Status kind = CheckKind(file_.name(), line, FileKind::kJson);
    if (!kind.ok()) return kind;
  }
  // Answers are in the order of the lines.
  if (absl::Status sent = options_.json ? Flush() : absl::OkStatus(); !sent.ok()) return sent;
  progress_.Clear();
  console_.err << absl::StrCat(file_.name(), " line ", feed_.line_number(), ": rejected, ",
                               "NOT_A_RECORD: ", why, "\n");
  total_.set_rejected(total_.rejected() + 1);
  if (!options_.json) return absl::OkStatus();
  UsageRecordResult* result = total_.add_results();
  result->set_status(::priority::v1::USAGE_RECORD_STATUS_REJECTED);
  result->set_message(std::string(why));
  return absl::OkStatus();
}

absl::Status Recording::Flush() {
  const absl::Status sent = batcher_.Flush();
  waiting_since_ = absl::Now();
  return sent;
}

void Recording::Interrupt() {
  if (feed_.stopped()) {
    std::signal(SIGINT, SIG_DFL);
    kill(getpid(), SIGINT);
  }
  feed_.Stop();
}

void Recording::HandleAnswer(const RecordUsageResponse& answer) {
  total_.set_accepted(total_.accepted() + answer.accepted());
  total_.set_duplicates(total_.duplicates() + answer.duplicates());
  total_.set_rejected(total_.rejected() + answer.rejected());
  if (options_.json) total_.mutable_results()->MergeFrom(answer.results());
  for (int i = 0; i < answer.results_size(); ++i) {
    if (answer.results(i).status() == ::priority::v1::USAGE_RECORD_STATUS_REJECTED) {
      PrintRejection(lines_[i], answer.results(i));
    }
  }
  lines_.erase(lines_.begin(), lines_.begin() + answer.results_size());
  progress_.Show(feed_.bytes_read(), file_.size(), absl::StrCat(CountText(answered()), " records"));
}

void Recording::PrintRejection(int64_t line, const UsageRecordResult& result) {
  progress_.Clear();
  console_.err << absl::StrCat(file_.name(), " line ", line, ": rejected, ", RejectionText(result),
                               "\n");
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

absl::Status Run(const RecordOptions& options, const client::PriorityClient& client,
                 Console& console) {
  absl::StatusOr<InputFile> file = InputFile::Open(options.file);
  if (!file.ok()) return file.status();
  Recording recording(options, client, *file, console);
  const OnInterrupt interrupt([&recording] { recording.Interrupt(); });
  const absl::Status status = recording.SendAll();
  if (status.ok() || recording.answered() > 0) recording.PrintSummary();
  if (!status.ok()) return status;
  // Live input ends so; of a file something may be left.
  if (recording.interrupted() && options.file != "-") {
    return absl::CancelledError(absl::StrCat(file->name(), ": interrupted after line ",
                                             recording.lines(), "; run it again for the rest"));
  }
  if (recording.rejected() == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      CountText(recording.rejected()), " of ", CountedText(recording.answered(), "record"),
      recording.rejected() == 1 ? " was rejected" : " were rejected"));
}

void AddRecordOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<RecordOptions>(app, line, Run, Retries::kUntilTimeout);
  app->add_option("FILE", options->file, "Usage records as JSON Lines; - is standard input")
      ->required()
      ->type_name("");
  app->add_option("--batch-size", options->batch_size, "Records per call")
      ->check(WholeNumber(1, 100000))
      ->type_name("N")
      ->capture_default_str();
  AddJson(app, options->json);
}

}  // namespace

std::string RejectionText(const UsageRecordResult& result) {
  // The service counts records within a batch; the line of the file says more.
  absl::string_view field = result.field();
  if (const size_t dot = field.find("].");
      absl::StartsWith(field, "records[") && dot != absl::string_view::npos) {
    field.remove_prefix(dot + 2);
  }
  absl::string_view reason = ::priority::v1::RejectionReason_Name(result.reason());
  absl::ConsumePrefix(&reason, "REJECTION_REASON_");
  const bool named = absl::StartsWith(result.message(), field);
  return absl::StrCat(reason, ": ", named ? "" : field, named ? "" : ": ", result.message());
}

const Command kRecordCommand = {
    "record", "Record usage; a record sent twice counts once, so run it again after a failure",
    AddRecordOptions};

}  // namespace priorityd::prioctl
