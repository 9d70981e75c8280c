#include "client/prioctl/text/text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/prioctl/jobs/job_text.h"
#include "client/prioctl/jobs/staleness.h"
#include "engine/numbers/whole_number.h"

namespace priorityd::prioctl {

std::string TimeText(const google::protobuf::Timestamp& time, bool is_set) {
  return jobs::TimeText(time, is_set, "never");
}

std::string TimeText(const google::protobuf::Timestamp& time, absl::TimeZone zone, bool is_set) {
  if (!is_set) return "never";
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", jobs::ToTime(time), zone);
}

std::string SentenceText(absl::string_view sentence) {
  constexpr absl::string_view kForm = "2026-11-20T12:27:27+00:00";
  std::string text;
  while (!sentence.empty()) {
    absl::Time time;
    const absl::string_view word = sentence.substr(0, kForm.size());
    const bool is_time = word.size() == kForm.size() && absl::ascii_isdigit(word[0]) &&
                         absl::ParseTime(absl::RFC3339_sec, word, &time, nullptr);
    if (is_time) {
      absl::StrAppend(&text, TimeText(client::ToTimestamp(time)));
      sentence.remove_prefix(kForm.size());
    } else {
      text += sentence[0];
      sentence.remove_prefix(1);
    }
  }
  return text;
}

std::string DurationText(const google::protobuf::Duration& duration) {
  const int64_t seconds = duration.seconds();
  const int64_t days = seconds / 86400;
  const std::string clock =
      absl::StrFormat("%02d:%02d:%02d", seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
  return days == 0 ? clock : absl::StrCat(days, "-", clock);
}

namespace {

// Puts a comma before each three digits.
std::string WithCommas(std::string digits) {
  const int first = digits[0] == '-' ? 1 : 0;
  for (int i = static_cast<int>(digits.size()) - 3; i > first; i -= 3) digits.insert(i, 1, ',');
  return digits;
}

}  // namespace

std::string CountText(int64_t count) { return WithCommas(absl::StrCat(count)); }

std::string AmountText(double amount) { return WithCommas(numbers::WholeText(amount)); }

std::string HundredthsText(double amount) {
  constexpr double kMostOfHundredths = 1e13;  // Beyond it a double has no exact hundredths.
  if (!(std::abs(amount) < kMostOfHundredths)) return AmountText(amount);
  const double hundredths = std::round(std::abs(amount) * 100);
  const std::string whole = AmountText(std::floor(hundredths / 100));
  std::string rest = absl::StrFormat(".%02.0f", std::fmod(hundredths, 100));
  rest.resize(rest.find_last_not_of("0.") + 1);
  return absl::StrCat(amount < 0 && hundredths > 0 ? "-" : "", whole, rest);
}

std::string CountedText(int64_t count, const std::string& one) {
  return absl::StrCat(CountText(count), " ", one, count == 1 ? "" : "s");
}

std::string LevelFsText(const ::priority::v1::AssociationShare& share) {
  if (share.level_fs_infinite()) return "inf";
  return share.has_level_fs() ? NumberText(share.level_fs()) : "-";
}

std::string StaleText(const ::priority::v1::Snapshot& snapshot) {
  return snapshot.has_stale_for() ? absl::StrCat("; STALE: ", jobs::StalenessText(snapshot)) : "";
}

std::string SnapshotText(const ::priority::v1::Snapshot& snapshot, absl::TimeZone zone) {
  return absl::StrCat("cluster ", snapshot.cluster(), ", generation ", snapshot.generation(),
                      ", computed at ",
                      TimeText(snapshot.computed_at(), zone, snapshot.has_computed_at()),
                      ", policy version ", snapshot.policy_version(), StaleText(snapshot));
}

std::string WarningLines(const google::protobuf::RepeatedPtrField<std::string>& warnings) {
  std::string lines;
  for (const std::string& warning : warnings) {
    absl::StrAppend(&lines, "warning: ", jobs::Visible(warning), "\n");
  }
  return lines;
}

std::string LossAndWarningLines(const google::protobuf::RepeatedPtrField<std::string>& warnings,
                                int64_t losses) {
  std::string lines;
  for (const std::string& warning : warnings) {
    absl::StrAppend(&lines, losses-- > 0 ? "lost: " : "warning: ", jobs::Visible(warning), "\n");
  }
  return lines;
}

absl::Status ReportLosses(const std::vector<std::string>& losses, bool strict, std::ostream& err) {
  for (const std::string& loss : losses) err << "lost: " << loss << '\n';
  if (!strict || losses.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      CountedText(static_cast<int64_t>(losses.size()), "kind"),
      " of loss, the first: ", losses.front(), "; nothing was imported, because of --strict"));
}

}  // namespace priorityd::prioctl
