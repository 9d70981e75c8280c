#include "client/prioctl/sacctmgr/row.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "engine/numbers/number_text.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/time_string.h"
#include "engine/slurm/words/tres_list.h"

namespace priorityd::sacctmgr {
namespace {

namespace v1 = ::priority::v1;

using Attributes = google::protobuf::Map<std::string, std::string>;

std::string Find(const Attributes& attributes, absl::string_view words) {
  for (const absl::string_view word : absl::StrSplit(words, '|')) {
    for (const auto& [name, value] : attributes) {
      if (absl::EqualsIgnoreCase(name, word)) return value;
    }
  }
  return "";
}

// The own or inherited settings of the row's object.
std::string Attribute(const Row& row, const KnownField& field) {
  std::string value;
  if (row.association != nullptr) value = AttributeOf(*row.association, field.attribute);
  const bool of_account = row.association == nullptr || field.attribute == "Description" ||
                          field.attribute == "Organization";
  if (value.empty() && of_account && row.account != nullptr) {
    value = Find(row.account->attributes(), field.attribute);
  }
  if (value.empty() && row.qos != nullptr) value = Find(row.qos->attributes(), field.attribute);
  return value;
}

Cell TextCell(std::string text) {
  if (text.empty()) return std::monostate();
  return text;
}

Cell CountCell(const std::string& text) {
  uint64_t count = 0;
  if (absl::SimpleAtoi(text, &count)) return count;
  return TextCell(text);
}

// Minutes count up, as sacctmgr's do.
Cell WallCell(const std::string& text) {
  const absl::StatusOr<absl::Duration> wall = slurm::ParseTimeString(text);
  if (text.empty() || !wall.ok()) return TextCell(text);
  return slurm::FormatTimeString(absl::Ceil(*wall, absl::Minutes(1)));
}

// GraceTime is in seconds, where it is a plain number.
Cell GraceCell(const std::string& text) {
  int64_t seconds = 0;
  if (text.empty()) return std::string("00:00:00");
  if (absl::SimpleAtoi(text, &seconds)) return slurm::FormatTimeString(absl::Seconds(seconds));
  return TextCell(text);
}

Cell DecimalCell(const std::string& text) {
  double value = 0;
  if (absl::SimpleAtod(text, &value)) return value;
  return TextCell(text);
}

Cell PartCell(const std::string& list, absl::string_view tres) {
  const auto parsed = slurm::ParseTresLimits(list);
  if (!parsed.ok()) return std::monostate();
  const auto found = parsed->find(std::string(tres));
  if (found == parsed->end()) return std::monostate();
  return static_cast<uint64_t>(numbers::WholePart(std::max(found->second, 0.0)));
}

Cell ShareCell(const Row& row) {
  const std::string shares =
      row.association == nullptr ? "" : AttributeOf(*row.association, "Fairshare");
  if (shares.empty()) return uint64_t{row.association == nullptr ? 0U : 1U};
  return CountCell(shares);
}

Cell TresCell(const v1::Cluster& cluster) {
  std::map<std::string, double> tres(cluster.tres().begin(), cluster.tres().end());
  if (cluster.cpus() > 0) tres["cpu"] = cluster.cpus();
  if (cluster.nodes() > 0) tres["node"] = cluster.nodes();
  return TextCell(absl::StrJoin(tres, ",", [](std::string* out, const auto& count) {
    absl::StrAppend(out, count.first, "=", numbers::NumberText(count.second));
  }));
}

Cell TimeCell(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%S", absl::FromUnixSeconds(time.seconds()),
                          absl::LocalTimeZone());
}

std::string Info(const v1::AuditEvent& event) {
  std::string info = event.before();
  if (!event.before().empty() && !event.after().empty()) absl::StrAppend(&info, " -> ");
  absl::StrAppend(&info, event.after());
  if (!event.comment().empty())
    absl::StrAppend(&info, info.empty() ? "" : " ", "(", event.comment(), ")");
  return info;
}

Cell AccountCell(const Row& row) {
  const v1::Association* of = row.association != nullptr ? row.association : row.account;
  if (of == nullptr) return std::monostate();
  return absl::StrCat(std::string(std::max(0, row.depth), ' '), of->account());
}

Cell UserCell(const Row& row) {
  if (row.user != nullptr) return TextCell(row.user->name());
  return row.association == nullptr ? Cell() : TextCell(row.association->user());
}

Cell IdCell(const Row& row) {
  if (row.association != nullptr) return static_cast<uint64_t>(row.association->id());
  return row.qos == nullptr ? Cell() : Cell(static_cast<uint64_t>(row.qos->id()));
}

Cell ParentNameCell(const Row& row) {
  if (row.association == nullptr || !row.association->user().empty()) return std::monostate();
  return TextCell(row.association->parent_account());
}

Cell PreemptModeCell(const std::string& mode) {
  return mode.empty() ? std::string("cluster") : absl::AsciiStrToLower(mode);
}

std::string LeasedText(const v1::LeasedSetting& leased, absl::TimeZone zone) {
  const auto shown = [](const std::string& value) { return value.empty() ? "unset" : value; };
  const absl::Time until = absl::FromUnixSeconds(leased.until().seconds());
  return absl::StrCat(leased.name(), "=", shown(leased.value()), " until ",
                      absl::FormatTime("%Y-%m-%dT%H:%M:%S", until, zone), ", then ",
                      shown(leased.then()));
}

std::string LeasesText(const Row& row) {
  std::vector<std::string> texts;
  const auto add = [&](const auto& leased) {
    for (const v1::LeasedSetting& setting : leased) {
      texts.push_back(LeasedText(setting, row.zone));
    }
  };
  if (row.association != nullptr) add(row.association->leased());
  if (row.user != nullptr) add(row.user->leased());
  if (row.qos != nullptr) add(row.qos->leased());
  return absl::StrJoin(texts, "; ");
}

// Of a thing that the row is about, blank where it is not.
Cell ThingCell(const Row& row, Shows shows) {
  switch (shows) {
    case Shows::kAccount:
      return AccountCell(row);
    case Shows::kUser:
      return UserCell(row);
    case Shows::kPartition:
      return row.association == nullptr ? Cell() : TextCell(row.association->partition());
    case Shows::kCluster:
      return TextCell(row.cluster);
    case Shows::kName:
      return row.qos == nullptr ? Cell() : TextCell(row.qos->name());
    case Shows::kId:
      return IdCell(row);
    case Shows::kParentId:
      return row.association == nullptr ? Cell() : Cell(row.parent_id);
    case Shows::kParentName:
      return ParentNameCell(row);
    case Shows::kShare:
      return ShareCell(row);
    case Shows::kCoordinators:
      return TextCell(row.coordinators);
    case Shows::kDefaultAccount:
      return row.user == nullptr ? Cell() : TextCell(row.user->default_account());
    case Shows::kAdminLevel:
      return row.user == nullptr ? Cell() : TextCell(row.user->admin_level());
    case Shows::kProblem:
      return TextCell(row.problem);
    case Shows::kLeases:
      return TextCell(LeasesText(row));
    case Shows::kClusterTres:
      return row.of_cluster == nullptr ? Cell() : TresCell(*row.of_cluster);
    default:
      return std::monostate();
  }
}

Cell EventCell(const v1::AuditEvent& event, Shows shows) {
  switch (shows) {
    case Shows::kTime:
      return TimeCell(event.time());
    case Shows::kAction:
      return TextCell(event.action());
    case Shows::kActor:
      return TextCell(event.principal());
    case Shows::kWhere:
      return TextCell(event.object());
    case Shows::kInfo:
      return TextCell(Info(event));
    default:
      return std::monostate();
  }
}

Cell AttributeCell(const Row& row, const KnownField& field) {
  std::string value = Attribute(row, field);
  switch (field.shows) {
    case Shows::kCount:
      return CountCell(value.empty() && row.qos != nullptr && field.name == "Priority" ? "0"
                                                                                       : value);
    case Shows::kDecimal:
      return DecimalCell(
          value.empty() && row.qos != nullptr && field.name == "UsageFactor" ? "1" : value);
    case Shows::kWall:
      return WallCell(value);
    case Shows::kGrace:
      return row.qos == nullptr ? Cell() : GraceCell(value);
    case Shows::kPart:
      return PartCell(value, field.tres);
    case Shows::kList:
      return TextCell(SortedList(value));
    case Shows::kPreemptMode:
      return row.qos == nullptr ? Cell() : PreemptModeCell(value);
    default:
      return TextCell(std::move(value));
  }
}

Cell CellOf(const Row& row, const KnownField& field) {
  if (field.shows == Shows::kZero) return uint64_t{0};
  if (field.shows >= Shows::kTime)
    return row.event == nullptr ? Cell() : EventCell(*row.event, field.shows);
  const bool is_attribute = field.shows >= Shows::kText && field.shows <= Shows::kPreemptMode;
  return is_attribute ? AttributeCell(row, field) : ThingCell(row, field.shows);
}

}  // namespace

Cells CellsOf(const Row& row, const std::vector<Field>& fields) {
  Cells cells;
  cells.reserve(fields.size());
  for (const Field& field : fields) cells.push_back(CellOf(row, *field.known));
  return cells;
}

std::string AttributeOf(const v1::Association& association, absl::string_view words) {
  std::string value = Find(association.attributes(), words);
  return value.empty() ? Find(association.inherited(), words) : value;
}

std::string SortedList(absl::string_view list) {
  std::vector<absl::string_view> names = absl::StrSplit(list, ',', absl::SkipEmpty());
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, ",");
}

}  // namespace priorityd::sacctmgr
