#include "client/prioctl/sreport/sreport_options.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace priorityd::prioctl {
namespace {

// Whether `word` is the beginning of `name` in any case, `least` letters long.
bool Means(absl::string_view word, absl::string_view name, size_t least) {
  return word.size() >= least && absl::StartsWithIgnoreCase(name, word);
}

absl::Status Wrong(absl::string_view word, absl::string_view want) {
  return absl::InvalidArgumentError(absl::StrCat("got \"", word, "\", want ", want));
}

struct NamedReport {
  absl::string_view kind;
  absl::string_view name;
  size_t least;
  SlurmReport report;
};

constexpr NamedReport kNamedReports[] = {
    {"cluster", "AccountUtilizationByUser", 21, SlurmReport::kAccountUtilizationByUser},
    {"cluster", "AccountUtilizationByQOS", 21, SlurmReport::kAccountUtilizationByQos},
    {"cluster", "UserUtilizationByAccount", 18, SlurmReport::kUserUtilizationByAccount},
    {"cluster", "Utilization", 1, SlurmReport::kUtilization},
    {"job", "SizesByAccount", 1, SlurmReport::kSizesByAccount},
    {"user", "TopUsage", 1, SlurmReport::kTopUsage},
};

absl::Status ParseReport(absl::string_view kind, absl::string_view name, SlurmReport& report) {
  for (const NamedReport& known : kNamedReports) {
    if (!Means(kind, known.kind, 1) || !Means(name, known.name, known.least)) continue;
    report = known.report;
    return absl::OkStatus();
  }
  return Wrong(absl::StrCat(kind, " ", name),
               "cluster AccountUtilizationByUser, cluster UserUtilizationByAccount, cluster "
               "AccountUtilizationByQOS, cluster Utilization, job SizesByAccount or user TopUsage");
}

void AddNames(absl::string_view value, std::vector<std::string>& names) {
  for (const absl::string_view name : absl::StrSplit(value, ',', absl::SkipEmpty())) {
    names.emplace_back(name);
  }
}

constexpr size_t kMostSizes = 100;

// `50,250,500`
absl::Status ParseSizes(absl::string_view value, std::vector<uint64_t>& sizes) {
  sizes.clear();
  for (const absl::string_view text : absl::StrSplit(value, ',')) {
    uint64_t size = 0;
    if (!absl::SimpleAtoi(text, &size) || size <= (sizes.empty() ? 0 : sizes.back()) ||
        sizes.size() == kMostSizes) {
      return Wrong(absl::StrCat("Grouping=", value),
                   "at most 100 whole numbers above 0, ascending, such as Grouping=50,250,500");
    }
    sizes.push_back(size);
  }
  return absl::OkStatus();
}

absl::Status ParseSetting(absl::string_view key, absl::string_view value, SreportOptions& options,
                          std::string& cluster) {
  if (Means(key, "Start", 1)) {
    options.start = std::string(value);
  } else if (Means(key, "End", 1)) {
    options.end = std::string(value);
  } else if (Means(key, "Accounts", 1)) {
    AddNames(value, options.accounts);
  } else if (Means(key, "Users", 1)) {
    AddNames(value, options.users);
  } else if (Means(key, "QOS", 1)) {
    AddNames(value, options.qos);
  } else if (Means(key, "Clusters", 1)) {
    cluster = std::string(value);
  } else if (Means(key, "Format", 1)) {
    absl::StatusOr<std::vector<ReportField>> format = ParseReportFormat(value);
    if (!format.ok()) return format.status();
    options.format = *std::move(format);
  } else if (Means(key, "Grouping", 2)) {
    return ParseSizes(value, options.sizes);
  } else if (Means(key, "TopCount", 2)) {
    if (!absl::SimpleAtoi(value, &options.top_count) || options.top_count < 1) {
      return Wrong(absl::StrCat(key, "=", value), "TopCount=N, N at least 1");
    }
  } else {
    return Wrong(
        absl::StrCat(key, "=", value),
        "Start=, End=, Accounts=, Users=, QOS=, Cluster=, Format=, Grouping= or TopCount=");
  }
  return absl::OkStatus();
}

absl::Status ParseWord(absl::string_view word, SreportOptions& options, std::string& cluster) {
  const size_t equals = word.find('=');
  if (equals != absl::string_view::npos) {
    return ParseSetting(word.substr(0, equals), word.substr(equals + 1), options, cluster);
  }
  if (Means(word, "Tree", 2)) {
    options.tree = true;
  } else if (Means(word, "Group", 1)) {
    options.group = true;
  } else if (Means(word, "FlatView", 2)) {
    options.flat_view = true;
  } else if (Means(word, "AcctAsParent", 2)) {
    options.accounts_as_parents = true;
  } else if (Means(word, "PrintJobCount", 2)) {
    options.print_job_count = true;
  } else {
    return Wrong(
        word,
        "Start=, End=, Accounts=, Users=, QOS=, Cluster=, Format=, Grouping=, TopCount=, Tree, "
        "Group, FlatView, AcctAsParent or PrintJobCount");
  }
  return absl::OkStatus();
}

}  // namespace

bool SreportOptions::all_tres() const {
  return tres.size() == 1 && absl::EqualsIgnoreCase(tres[0], "ALL");
}

absl::Status ParseReportWords(const std::vector<std::string>& words, SreportOptions& options,
                              std::string& cluster) {
  if (words.size() < 2) {
    return Wrong(words.empty() ? "" : words[0],
                 "a report, such as cluster AccountUtilizationByUser");
  }
  absl::Status parsed = ParseReport(words[0], words[1], options.report);
  for (size_t i = 2; i < words.size() && parsed.ok(); ++i) {
    parsed = ParseWord(words[i], options, cluster);
  }
  return parsed;
}

absl::Status ParseReportTimeFormat(const std::string& text, ReportTimeFormat& format) {
  struct Name {
    absl::string_view name;
    size_t least;
    ReportTimeFormat format;
  };
  static constexpr Name kNames[] = {
      {"SecPer", 4, {ReportUnit::kSeconds, true}},   {"MinPer", 4, {ReportUnit::kMinutes, true}},
      {"HourPer", 5, {ReportUnit::kHours, true}},    {"Seconds", 1, {ReportUnit::kSeconds, false}},
      {"Minutes", 1, {ReportUnit::kMinutes, false}}, {"Hours", 1, {ReportUnit::kHours, false}},
      {"Percent", 1, {ReportUnit::kPercent, false}},
  };
  for (const Name& known : kNames) {
    if (!Means(text, known.name, known.least)) continue;
    format = known.format;
    return absl::OkStatus();
  }
  return Wrong(text, "Seconds, Minutes, Hours, Percent, SecPer, MinPer or HourPer");
}

}  // namespace priorityd::prioctl
