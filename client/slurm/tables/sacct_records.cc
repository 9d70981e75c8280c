#include "client/slurm/tables/sacct_records.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/slurm/tables/job_accounting.h"
#include "client/slurm/tables/sacct_resources.h"
#include "client/slurm/tables/slurm_rows.h"
#include "client/timestamp.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::tables {
namespace {

namespace v1 = ::priority::v1;

using priority::v1::UsageRecord;

constexpr absl::string_view kWithoutSize =
    "not recorded, without a size: no AllocTRES, AllocCPUS, NCPUS, AllocNodes or NNodes";

// Of the time from its start to its end.
absl::StatusOr<absl::Duration> SuspendedFor(const SlurmRow& row, absl::Duration span) {
  const std::string want =
      absl::StrCat("0 to ", absl::ToInt64Seconds(span), " seconds, from its start to its end");
  const auto within = [&](absl::Duration suspended) {
    return suspended >= absl::ZeroDuration() && suspended <= span;
  };
  const auto seconds = row.Number({"time.suspended"});
  if (!seconds.ok()) return seconds.status();
  if (seconds->has_value()) {
    const absl::Duration suspended = absl::Seconds(**seconds);
    if (within(suspended)) return suspended;
    return row.Violation("time.suspended", absl::StrCat(**seconds), want);
  }
  const std::string text = row.Text({"Suspended"});
  if (text.empty()) return absl::ZeroDuration();
  const absl::StatusOr<absl::Duration> suspended = slurm::ParseTimeString(text);
  if (!suspended.ok()) return row.Violation("Suspended", text, "a time such as 00:10:00");
  return within(*suspended) ? suspended : row.Violation("Suspended", text, want);
}

absl::StatusOr<std::optional<absl::Duration>> ElapsedOf(const SlurmRow& row) {
  const auto seconds = row.Number({"ElapsedRaw", "time.elapsed"});
  if (!seconds.ok()) return seconds.status();
  if (seconds->has_value()) return std::optional(absl::Seconds(**seconds));
  const std::string text = row.Text({"Elapsed"});
  if (text.empty()) return std::optional<absl::Duration>();
  const absl::StatusOr<absl::Duration> elapsed = slurm::ParseTimeString(text);
  if (!elapsed.ok()) return row.Violation("Elapsed", text, "a time such as 00:10:00");
  return std::optional(*elapsed);
}

// The end; one before its start is the later time of a repeated hour, if Elapsed says the same.
absl::StatusOr<absl::Time> TrueEnd(const SlurmRow& row, absl::Time start, absl::Time end,
                                   absl::TimeZone zone) {
  if (end >= start) return end;
  const absl::Time later = zone.At(zone.At(end).cs).post;
  const auto elapsed = ElapsedOf(row);
  if (!elapsed.ok()) return elapsed.status();
  const bool is_explained = elapsed->has_value() && later > start &&
                            absl::AbsDuration(start + **elapsed - later) <= absl::Seconds(1);
  if (is_explained) return later;
  return row.Violation("End", row.Text({"End", "time.end"}),
                       "Start or later, or the Elapsed of a run in which a clock went back");
}

// With the job's accounting beside its charge, if the row has any.
absl::Status SetJob(const SlurmRow& row, absl::TimeZone zone, UsageRecord* record,
                    TableLosses* losses) {
  absl::StatusOr<v1::JobAccounting> job = ReadJobAccounting(row, *record, zone, losses);
  if (!job.ok()) return job.status();
  if (job->ByteSizeLong() > 0) *record->mutable_job() = *std::move(job);
  return absl::OkStatus();
}

// A step's MaxRSS belongs to its job, whose row precedes it.
absl::Status AddStep(const SlurmRow& step, const std::string& id, SacctRecords* result) {
  ++result->steps;
  const absl::StatusOr<std::optional<double>> max_rss = MaxRssOf(step);
  if (!max_rss.ok()) return max_rss.status();
  if (!max_rss->has_value() || result->records.empty()) return absl::OkStatus();
  UsageRecord& record = result->records.back();
  if (record.job_id() != id.substr(0, id.find('.'))) return absl::OkStatus();
  v1::JobAccounting& job = *record.mutable_job();
  job.set_max_rss(std::max(job.max_rss(), **max_rss));
  return absl::OkStatus();
}

// Adds the record of a job's row, or counts the reason why it has none.
absl::Status AddRecord(const SlurmRow& row, const std::string& source, absl::TimeZone zone,
                       TableLosses* losses, SacctRecords* result) {
  const std::string id = row.Text({"JobIDRaw", "JobID", "job_id"});
  if (absl::StrContains(id, '.')) return AddStep(row, id, result);
  const auto start = row.Moment({"Start", "time.start"}, zone);
  if (!start.ok()) return start.status();
  const auto written_end = row.Moment({"End", "time.end"}, zone);
  if (!written_end.ok()) return written_end.status();
  if (!start->has_value()) {
    ++result->unstarted;
    return absl::OkStatus();
  }
  if (!written_end->has_value()) {
    ++result->running;
    return absl::OkStatus();
  }
  const absl::StatusOr<absl::Time> end = TrueEnd(row, **start, **written_end, zone);
  if (!end.ok()) return end.status();
  if (*end == **start) {
    ++result->unstarted;
    return absl::OkStatus();
  }
  const absl::StatusOr<absl::Duration> suspended = SuspendedFor(row, *end - **start);
  if (!suspended.ok()) return suspended.status();
  UsageRecord record;
  record.set_source(source);
  record.set_record_id(absl::StrCat(id, "@", absl::ToUnixSeconds(**start)));
  record.set_job_id(id);
  record.set_user(row.Name({"User", "user"}));
  record.set_account(row.Name({"Account", "account"}));
  record.set_partition(row.Name({"Partition", "partition"}));
  record.set_qos(row.Text({"QOS", "qos"}));
  *record.mutable_start_time() = client::ToTimestamp(**start);
  *record.mutable_end_time() = client::ToTimestamp(*end - *suspended);
  absl::Status read = SetResources(row, losses, &record);
  read.Update(SetJob(row, zone, &record, losses));
  if (!read.ok()) return read;
  if (*suspended > absl::ZeroDuration() && record.has_job()) {
    *record.mutable_job()->mutable_end_time() = client::ToTimestamp(*end);
  }
  if (record.tres().empty() && !record.has_billing()) {
    losses->Add(std::string(kWithoutSize), row.place());
    return absl::OkStatus();
  }
  result->records.push_back(std::move(record));
  result->places.push_back(row.place());
  return absl::OkStatus();
}

}  // namespace

std::string AllocatedTresText(const google::protobuf::Struct& job) {
  const auto tres = job.fields().find("tres");
  if (tres == job.fields().end()) return "";
  const auto allocated = tres->second.struct_value().fields().find("allocated");
  if (allocated == tres->second.struct_value().fields().end()) return "";
  std::string text;
  for (const auto& item : allocated->second.list_value().values()) {
    const auto& fields = item.struct_value().fields();
    if (fields.count("type") == 0 || fields.count("count") == 0) continue;
    const std::string name = fields.count("name") == 0 ? "" : fields.at("name").string_value();
    absl::StrAppend(&text, text.empty() ? "" : ",", fields.at("type").string_value(),
                    name.empty() ? "" : "/", name, "=",
                    absl::StrFormat("%.0f", fields.at("count").number_value()));
  }
  return text;
}

absl::StatusOr<SacctRecords> ReadSacctRecords(const std::string& name, absl::string_view content,
                                              const std::string& source, absl::TimeZone zone,
                                              std::vector<std::string>* faults) {
  const auto rows =
      ReadSlurmRows(name, content, {"JobID/JobIDRaw", "User", "Account", "Start", "End"},
                    {{"AllocTRES", AllocatedTresText}});
  if (!rows.ok()) return rows.status();
  SacctRecords result;
  TableLosses losses;
  for (const SlurmRow& row : *rows) {
    absl::Status added = AddRecord(row, source, zone, &losses, &result);
    if (added.ok()) continue;
    if (faults == nullptr) return added;
    faults->emplace_back(added.message());
  }
  result.losses = losses.Lines();
  return result;
}

}  // namespace priorityd::tables
