#include "client/examples/batch_frontend/report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"

namespace priorityd::batch_frontend {
namespace {

using google::protobuf::Struct;

// 3-07:15:00
std::string WaitText(absl::Duration wait) {
  const int64_t seconds = absl::ToInt64Seconds(wait);
  const int64_t days = seconds / 86400;
  return absl::StrFormat("%s%02d:%02d:%02d", days > 0 ? absl::StrCat(days, "-") : "",
                         seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

std::string FairnessText(const Fairness& fairness) {
  const std::string when = absl::StrCat("At the last submission (", TimeText(fairness.at), ")");
  if (fairness.users.size() < 2) {
    return absl::StrCat(when, " ", fairness.users.size(),
                        " users had had enough demand: nothing to compare.\n");
  }
  return absl::StrFormat(
      "%s %d users had had jobs waiting for the last %s. Their decayed usage is within\n"
      "%.1f %% of what their shares make due to them; Jain's index %.4f.\n",
      when, fairness.users.size(), absl::FormatDuration(fairness.window),
      100 * fairness.largest_distance, fairness.jain_index);
}

void Set(const std::string& name, double value, Struct* object) {
  (*object->mutable_fields())[name].set_number_value(value);
}

void Set(const std::string& name, const std::string& value, Struct* object) {
  (*object->mutable_fields())[name].set_string_value(value);
}

Struct UserObject(const UserSummary& user, const Fairness& fairness) {
  Struct object;
  Set("user", user.user, &object);
  Set("jobs", static_cast<double>(user.jobs), &object);
  Set("mean_wait_seconds", absl::ToDoubleSeconds(user.mean_wait), &object);
  Set("median_wait_seconds", absl::ToDoubleSeconds(user.median_wait), &object);
  Set("p95_wait_seconds", absl::ToDoubleSeconds(user.p95_wait), &object);
  Set("cpu_seconds", user.cpu_seconds, &object);
  Set("usage_share", user.usage_share, &object);
  Set("entitlement", user.entitlement, &object);
  const auto demanding = fairness.users.find(user.user);
  if (demanding != fairness.users.end()) {
    Set("due_share", demanding->second.due_share, &object);
  }
  return object;
}

Struct FairnessObject(const Fairness& fairness) {
  Struct object;
  Set("at", TimeText(fairness.at), &object);
  Set("window_seconds", absl::ToDoubleSeconds(fairness.window), &object);
  Set("users", static_cast<double>(fairness.users.size()), &object);
  Set("largest_distance", fairness.largest_distance, &object);
  Set("jain_index", fairness.jain_index, &object);
  return object;
}

}  // namespace

std::string ToTable(const Summary& summary) {
  std::string table =
      absl::StrFormat("%-10s %6s %12s %12s %12s %14s %8s %8s %8s\n", "User", "Jobs", "MeanWait",
                      "MedianWait", "P95Wait", "CPUHours", "Usage%", "Shares%", "Due%");
  for (const UserSummary& user : summary.users) {
    const auto demanding = summary.fairness.users.find(user.user);
    absl::StrAppendFormat(&table, "%-10s %6d %12s %12s %12s %14.1f %8.2f %8.2f %8s\n", user.user,
                          user.jobs, WaitText(user.mean_wait), WaitText(user.median_wait),
                          WaitText(user.p95_wait), user.cpu_seconds / 3600, 100 * user.usage_share,
                          100 * user.entitlement,
                          demanding == summary.fairness.users.end()
                              ? ""
                              : absl::StrFormat("%.2f", 100 * demanding->second.due_share));
  }
  absl::StrAppendFormat(
      &table,
      "\n%d jobs of %d users from %s to %s: %d backfilled, %d refused, %d never started.\n"
      "Until the last submission %.1f %% of the CPUs were in use. Event log digest %016x.\n",
      summary.jobs, summary.users.size(), TimeText(summary.begin), TimeText(summary.end),
      summary.backfilled, summary.refused, summary.never_started, 100 * summary.utilization,
      summary.digest);
  for (const auto& [reason, jobs] : summary.ineligible) {
    absl::StrAppendFormat(&table, "%d jobs could not start: %s.\n", jobs, reason);
  }
  return absl::StrCat(table, FairnessText(summary.fairness));
}

std::string ToJson(const Summary& summary) {
  Struct object;
  Set("jobs", static_cast<double>(summary.jobs), &object);
  Set("backfilled", static_cast<double>(summary.backfilled), &object);
  Set("refused", static_cast<double>(summary.refused), &object);
  Set("never_started", static_cast<double>(summary.never_started), &object);
  for (const auto& [reason, jobs] : summary.ineligible) {
    Set(reason, static_cast<double>(jobs),
        (*object.mutable_fields())["ineligible"].mutable_struct_value());
  }
  Set("begin", TimeText(summary.begin), &object);
  Set("end", TimeText(summary.end), &object);
  Set("utilization", summary.utilization, &object);
  Set("digest", absl::StrFormat("%016x", summary.digest), &object);
  auto& fields = *object.mutable_fields();
  *fields["fairness"].mutable_struct_value() = FairnessObject(summary.fairness);
  for (const UserSummary& user : summary.users) {
    *fields["users"].mutable_list_value()->add_values()->mutable_struct_value() =
        UserObject(user, summary.fairness);
  }
  std::string json;
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  // Cannot fail: no number is infinite.
  (void)google::protobuf::util::MessageToJsonString(object, &json, options);
  return json;
}

std::string ToCsv(const std::vector<ShareSample>& samples, absl::Duration window) {
  std::string csv = "time,user,usage_share,entitlement,due_share\n";
  for (const ShareSample& sample : samples) {
    const auto demanding = DemandingUsers(sample, window);
    double usage = 0;
    for (const auto& [name, user] : sample.users) usage += user.usage;
    for (const auto& [name, user] : sample.users) {
      absl::StrAppendFormat(&csv, "%s,%s,%.6f,%.6f,", TimeText(sample.time), name,
                            usage > 0 ? user.usage / usage : 0, user.entitlement);
      if (const auto due = demanding.find(name); due != demanding.end()) {
        absl::StrAppendFormat(&csv, "%.6f", due->second.due_share);
      }
      csv += '\n';
    }
  }
  return csv;
}

}  // namespace priorityd::batch_frontend
