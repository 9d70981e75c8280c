#include "server/slurm/dump_options.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "server/slurm/file_violations.h"
#include "server/slurm/name.h"
#include "server/slurm/numbers.h"
#include "server/slurm/time_string.h"
#include "server/slurm/tres_list.h"

namespace priorityd::slurm {
namespace {

// Slurm's own word for unset in 32 bits, beside -1.
constexpr uint32_t kInfinite = std::numeric_limits<uint32_t>::max();

bool IsUnset(absl::string_view value) { return value == "-1"; }

absl::Status ReadShares(absl::string_view value, DumpAssociation& line) {
  std::optional<uint32_t>& shares = line.association.raw_shares;
  const std::optional<uint64_t> number = ReadInteger(value, kParentShares);
  if (absl::EqualsIgnoreCase(value, "parent") || number == kParentShares) {
    shares.reset();
  } else if (IsUnset(value)) {
    shares = 1;
  } else if (number.has_value()) {
    shares = static_cast<uint32_t>(*number);
  } else {
    return Unexpected(value, "a whole number from 0 to 2147483646, or parent (2147483647)");
  }
  return absl::OkStatus();
}

absl::Status ReadCount(absl::string_view value, std::optional<uint32_t>& count) {
  const std::optional<uint64_t> number = ReadInteger(value, kInfinite);
  if (IsUnset(value) || number == kInfinite) {
    count.reset();
  } else if (number.has_value()) {
    count = static_cast<uint32_t>(*number);
  } else {
    return Unexpected(value, "a whole number from 0 to 4294967294, or -1 for none");
  }
  return absl::OkStatus();
}

absl::Status ReadPriority(absl::string_view value, DumpAssociation& line) {
  return ReadCount(value, line.association.priority);
}

template <std::optional<uint32_t> priority::AssociationLimits::*kField>
absl::Status ReadLimit(absl::string_view value, DumpAssociation& line) {
  return ReadCount(value, line.association.limits.*kField);
}

absl::Status ReadGrpWall(absl::string_view value, DumpAssociation& line) {
  const absl::StatusOr<absl::Duration> wall = ParseTimeString(value);
  if (!wall.ok()) return wall.status();
  line.association.limits.grp_wall.reset();
  if (*wall != absl::InfiniteDuration()) line.association.limits.grp_wall = *wall;
  return absl::OkStatus();
}

absl::Status ReadGrpTresMins(absl::string_view value, DumpAssociation& line) {
  absl::StatusOr<priority::TresMap> limits = ParseTresLimits(value);
  if (limits.ok()) line.association.limits.grp_tres_mins = *std::move(limits);
  return limits.status();
}

absl::Status ReadQos(absl::string_view value, DumpAssociation& line) {
  std::vector<std::string> names;
  for (absl::string_view name : absl::StrSplit(value, ',', absl::SkipWhitespace())) {
    names.push_back(std::string(absl::StripAsciiWhitespace(name)));
    if (absl::Status s = CheckName(names.back()); !s.ok()) return s;
  }
  line.association.qos = std::move(names);
  return absl::OkStatus();
}

absl::Status ReadDefaultQos(absl::string_view value, DumpAssociation& line) {
  if (!value.empty() && !IsUnset(value)) line.association.default_qos = std::string(value);
  return CheckName(value);
}

absl::Status ReadPartition(absl::string_view value, DumpAssociation& line) {
  line.association.partition = std::string(value);
  return CheckName(value);
}

template <std::string DumpAssociation::*kField>
absl::Status ReadText(absl::string_view value, DumpAssociation& line) {
  line.*kField = std::string(value);
  return absl::OkStatus();
}

absl::Status ReadDefaultAccount(absl::string_view value, DumpAssociation& line) {
  line.default_account = std::string(value);
  return CheckName(value);
}

// The lines on which an option is a field.
enum class On { kAll, kAccounts, kUsers };

struct Option {
  absl::string_view name;
  On on;
  absl::Status (*read)(absl::string_view value, DumpAssociation& line);
};

constexpr Option kOptions[] = {
    {"Fairshare", On::kAll, ReadShares},
    {"Shares", On::kAll, ReadShares},
    {"Priority", On::kAll, ReadPriority},
    {"QOS", On::kAll, ReadQos},
    {"DefaultQOS", On::kAll, ReadDefaultQos},
    {"MaxJobsAccrue", On::kAll, ReadLimit<&priority::AssociationLimits::max_jobs_accrue>},
    {"GrpJobsAccrue", On::kAll, ReadLimit<&priority::AssociationLimits::grp_jobs_accrue>},
    {"MaxSubmitJobs", On::kAll, ReadLimit<&priority::AssociationLimits::max_submit_jobs>},
    {"MaxSubmit", On::kAll, ReadLimit<&priority::AssociationLimits::max_submit_jobs>},
    {"GrpTRESMins", On::kAll, ReadGrpTresMins},
    {"GrpWall", On::kAll, ReadGrpWall},
    {"Description", On::kAccounts, ReadText<&DumpAssociation::description>},
    {"Organization", On::kAccounts, ReadText<&DumpAssociation::organization>},
    {"DefaultAccount", On::kUsers, ReadDefaultAccount},
    {"AdminLevel", On::kUsers, ReadText<&DumpAssociation::admin_level>},
    {"Partition", On::kUsers, ReadPartition},
};

bool IsOn(On on, DumpLineKind kind) {
  return on == On::kAll || (on == On::kAccounts && kind == DumpLineKind::kAccount) ||
         (on == On::kUsers && kind == DumpLineKind::kUser);
}

}  // namespace

absl::Status ReadDumpOption(const DumpOption& option, DumpLineKind kind, DumpAssociation& line) {
  const auto found =
      std::find_if(std::begin(kOptions), std::end(kOptions), [&](const Option& known) {
        return IsOn(known.on, kind) && absl::EqualsIgnoreCase(known.name, option.name);
      });
  if (found != std::end(kOptions)) return found->read(option.value, line);
  if (!IsAssociationOption(option.name)) {
    return absl::InvalidArgumentError(
        "got an unknown option, want one of those that sacctmgr dump writes, such as Fairshare, "
        "Priority, QOS, DefaultQOS, GrpTRESMins, MaxSubmitJobs");
  }
  line.other_options.push_back(option);
  return absl::OkStatus();
}

}  // namespace priorityd::slurm
