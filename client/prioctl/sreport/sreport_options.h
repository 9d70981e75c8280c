// The parsed options of sreport.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SREPORT_SREPORT_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SREPORT_SREPORT_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "client/prioctl/sreport/report_fields.h"
#include "client/prioctl/text/picture_file.h"
#include "client/prioctl/text/slurm_table.h"

namespace priorityd::prioctl {

enum class SlurmReport {
  kAccountUtilizationByUser,
  kUserUtilizationByAccount,
  kAccountUtilizationByQos,
  kTopUsage,
  kUtilization,
  kSizesByAccount,
};

// -t; those with Per show the percentage too.
enum class ReportUnit { kSeconds, kMinutes, kHours, kPercent };
struct ReportTimeFormat {
  ReportUnit unit = ReportUnit::kMinutes;
  bool with_percent = false;
};

// `prioctl sreport`, by Slurm's options.
struct SreportOptions {
  SlurmReport report = SlurmReport::kAccountUtilizationByUser;
  std::string start;  // As given; empty = Slurm's default.
  std::string end;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  std::vector<std::string> qos;
  bool tree = false;
  bool group = false;
  int top_count = 10;
  // SizesByAccount: where the second size and each after it begins, ascending; whose jobs an
  // account's are; numbers of jobs in the place of time.
  std::vector<uint64_t> sizes = {50, 250, 500, 1000};
  bool flat_view = false;
  bool accounts_as_parents = false;
  bool print_job_count = false;
  std::vector<ReportField> format;  // Empty = the report's own columns.
  std::vector<std::string> tres;    // -T; empty = CPU, and energy beside it.
  ReportTimeFormat time_format;     // -t
  std::string buckets;              // --buckets
  bool usage_factor = false;
  bool header = true;  // not -n
  SlurmLayout layout = SlurmLayout::kFixedWidth;
  bool full_precision = false;
  bool json = false;
  PictureOptions picture;  // --svg, --png: instead of the table.

  // -T ALL.
  bool all_tres() const;
};

// Reads the words behind the options: `cluster`, `job` or `user`, the report, then
// Start=, End=, Accounts=, Users=, QOS=, TopCount=, Cluster=, Format=, Grouping=, Tree, Group,
// FlatView, AcctAsParent, PrintJobCount; all in any case and cut short as Slurm allows. A cluster
// named goes to `cluster`. INVALID_ARGUMENT says which word is wrong and what is wanted.
absl::Status ParseReportWords(const std::vector<std::string>& words, SreportOptions& options,
                              std::string& cluster);

// Of -t: Seconds, Minutes, Hours, Percent, SecPer, MinPer or HourPer.
absl::Status ParseReportTimeFormat(const std::string& text, ReportTimeFormat& format);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SREPORT_SREPORT_OPTIONS_H_
