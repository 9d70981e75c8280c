#include "client/prioctl/sreport/report_fields.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd::prioctl {
namespace {

constexpr int kWidest = 1000;

struct KnownField {
  absl::string_view name;  // In format=
  ReportColumn column;
  absl::string_view heading;
  int width;
  bool grows = false;
};

constexpr KnownField kFields[] = {
    {"Accounts", ReportColumn::kAccount, "Account", 15},
    {"Allocated", ReportColumn::kAllocated, "Allocated", 8, true},
    {"Cluster", ReportColumn::kCluster, "Cluster", 9},
    {"Energy", ReportColumn::kEnergy, "Energy", 8, true},
    {"Idle", ReportColumn::kIdle, "Idle", 9, true},
    {"Login", ReportColumn::kLogin, "Login", 9},
    {"ProperName", ReportColumn::kProperName, "Proper Name", 15},
    {"QOS", ReportColumn::kQos, "QOS", 9},
    {"Reported", ReportColumn::kReported, "Reported", 9, true},
    {"Start", ReportColumn::kStart, "Start", 19},
    {"TresName", ReportColumn::kTresName, "TRES Name", 14},
    {"Used", ReportColumn::kUsed, "Used", 8, true},
};

ReportField Field(const KnownField& known) {
  return {known.column, {std::string(known.heading), known.width}, known.grows};
}

absl::Status SetWidth(absl::string_view text, ReportField& field) {
  int width = 0;
  if (!absl::SimpleAtoi(text, &width) || width == 0 || std::abs(width) > kWidest) {
    return absl::InvalidArgumentError(
        absl::StrCat("format: got width \"", text, "\", want 1 to ", kWidest));
  }
  field.field.width = std::abs(width);
  field.field.left = width < 0;
  field.grows = false;
  return absl::OkStatus();
}

}  // namespace

ReportField FieldOf(ReportColumn column) {
  return Field(*std::find_if(std::begin(kFields), std::end(kFields),
                             [&](const KnownField& known) { return known.column == column; }));
}

absl::StatusOr<std::vector<ReportField>> ParseReportFormat(absl::string_view text) {
  std::vector<ReportField> fields;
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(absl::StripAsciiWhitespace(item), absl::MaxSplits('%', 1));
    const auto* known =
        std::find_if(std::begin(kFields), std::end(kFields), [&](const KnownField& field) {
          return !parts.first.empty() && absl::StartsWithIgnoreCase(field.name, parts.first);
        });
    if (known == std::end(kFields)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "format: got \"", parts.first,
          "\", want Accounts, Allocated, Cluster, Energy, Idle, Login, ProperName, QOS, "
          "Reported, Start, TresName or Used, each with %WIDTH if wanted"));
    }
    fields.push_back(Field(*known));
    if (parts.first.size() == item.size()) continue;
    if (absl::Status set = SetWidth(parts.second, fields.back()); !set.ok()) return set;
  }
  if (fields.empty()) return absl::InvalidArgumentError("format: got no field, want one at least");
  return fields;
}

}  // namespace priorityd::prioctl
