// The columns of sreport.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_FIELDS_H_
#define PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_FIELDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "client/prioctl/text/slurm_table.h"

namespace priorityd::prioctl {

// The content of a column.
enum class ReportColumn {
  kStart,  // Of the bucket.
  kCluster,
  kAccount,
  kLogin,
  kProperName,
  kQos,
  kTresName,
  kUsed,
  kEnergy,
  kAllocated,  // Of the cluster.
  kIdle,       // Not allocated, down or not.
  kReported,   // All there was.
};

struct ReportField {
  ReportColumn column = ReportColumn::kUsed;
  SlurmField field;
  bool grows = false;  // As wide as the most seconds in it, if that is wider.
};

// A column by Slurm's name and width.
ReportField FieldOf(ReportColumn column);

// Of `format=`: `name[%width],...`; a name in any case, cut short as Slurm allows;
// a width below 0 puts the text on the left. INVALID_ARGUMENT says which is wrong.
absl::StatusOr<std::vector<ReportField>> ParseReportFormat(absl::string_view text);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_SREPORT_REPORT_FIELDS_H_
