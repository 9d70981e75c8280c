#include "client/prioctl/slurm/sshare.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/command/tool_options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/jobs/staleness.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/text/calling_user.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/option_error.h"
#include "client/prioctl/text/slurm_table.h"
#include "client/priority_client.h"
#include "engine/slurm/words/closest_word.h"

namespace priorityd::prioctl {
namespace {

using ::priority::v1::AssociationShare;
using ::priority::v1::ListSharesResponse;

using TresMap = google::protobuf::Map<std::string, double>;

// A row with what its cells need to know of the table around it.
struct ShareRow {
  const AssociationShare& share;
  int indent;
  const std::string& cluster;
  const std::vector<std::string>& tres;  // Every one that the cluster has, in Slurm's order.
  bool full_precision;

  bool is_root() const { return share.parent_account().empty() && share.user().empty(); }
};

// A column that sshare knows, and how its cells come from a row.
struct ShareField {
  SlurmField field;
  SlurmCell (*cell)(const ShareRow&);
};

// TRES that a service names which does not say what its cluster has.
constexpr const char* kSlurmTres[] = {"cpu",     "mem",     "energy", "node",
                                      "billing", "fs/disk", "vmem",   "pages"};

std::vector<std::string> TresOf(const ListSharesResponse& shares) {
  if (shares.tres_size() > 0) return {shares.tres().begin(), shares.tres().end()};
  return {std::begin(kSlurmTres), std::end(kSlurmTres)};
}

// In whole minutes, cut off as Slurm does; what sums have lost by rounding is not missed.
std::string TresText(const std::vector<std::string>& names,
                     const std::function<double(const std::string&)>& minutes_of) {
  std::string text;
  for (const std::string& name : names) {
    absl::StrAppendFormat(&text, "%s%s=%.0f", text.empty() ? "" : ",", name,
                          std::floor(minutes_of(name) * (1 + 1e-12)));
  }
  return text;
}

double AmountOf(const TresMap& amounts, const std::string& name) {
  const auto it = amounts.find(name);
  return it == amounts.end() ? 0 : it->second;
}

SlurmCell AccountCell(const ShareRow& row) {
  return std::string(row.indent, ' ') + row.share.account();
}

SlurmCell ClusterCell(const ShareRow& row) { return row.cluster; }

SlurmCell EffectiveUsageCell(const ShareRow& row) { return row.share.effective_usage(); }

SlurmCell FairShareCell(const ShareRow& row) {
  return row.share.has_fair_share() ? SlurmCell(row.share.fair_share()) : SlurmCell();
}

// The TRES that have a limit.
SlurmCell GrpTresMinsCell(const ShareRow& row) {
  const TresMap& limits = row.share.grp_tres_mins();
  std::vector<std::string> names;
  for (const std::string& name : row.tres) {
    if (limits.contains(name)) names.push_back(name);
  }
  for (const auto& [name, minutes] : std::map<std::string, double>(limits.begin(), limits.end())) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return TresText(names, [&](const std::string& name) { return AmountOf(limits, name); });
}

SlurmCell GrpTresRawCell(const ShareRow& row) {
  return TresText(row.tres, [&](const std::string& name) {
    if (name != "billing") return AmountOf(row.share.tres_usage(), name) / 60;
    // As limits count it: without reserves.
    return (row.share.raw_usage() - row.share.reserved_usage()) / 60;
  });
}

SlurmCell IdCell(const ShareRow& row) { return static_cast<uint64_t>(row.share.association_id()); }

SlurmCell LevelFsCell(const ShareRow& row) {
  if (row.share.parent_shares()) return {};
  if (row.share.level_fs_infinite()) return HUGE_VAL;
  return row.share.has_level_fs() ? SlurmCell(row.share.level_fs()) : SlurmCell();
}

SlurmCell NormSharesCell(const ShareRow& row) { return row.share.norm_shares(); }

SlurmCell NormUsageCell(const ShareRow& row) {
  return row.is_root() ? SlurmCell() : SlurmCell(row.share.norm_usage());
}

SlurmCell PartitionCell(const ShareRow& row) { return row.share.partition(); }

SlurmCell RawSharesCell(const ShareRow& row) {
  if (row.is_root()) return {};
  if (row.share.parent_shares()) return std::string("parent");
  return static_cast<uint64_t>(row.share.raw_shares());
}

SlurmCell RawUsageCell(const ShareRow& row) {
  if (row.full_precision) return row.share.raw_usage();
  return WholeAmount{row.share.raw_usage()};
}

SlurmCell TresRunMinsCell(const ShareRow& row) {
  return TresText(
      row.tres, [&](const std::string& name) { return AmountOf(row.share.tres_run_mins(), name); });
}

SlurmCell UserCell(const ShareRow& row) { return row.share.user(); }

// Names and widths as sshare has them, in the order that -e prints.
const ShareField kFields[] = {
    {{"Account", 20, true}, AccountCell},
    {{"Cluster", 10}, ClusterCell},
    {{"EffectvUsage", 13}, EffectiveUsageCell},
    {{"FairShare", 10}, FairShareCell},
    {{"GrpTRESMins", 30}, GrpTresMinsCell},
    {{"GrpTRESRaw", 30}, GrpTresRawCell},
    {{"ID", 6}, IdCell},
    {{"LevelFS", 10}, LevelFsCell},
    {{"NormShares", 11}, NormSharesCell},
    {{"NormUsage", 11}, NormUsageCell},
    {{"Partition", 12}, PartitionCell},
    {{"RawShares", 10}, RawSharesCell},
    {{"RawUsage", 11}, RawUsageCell},
    {{"TRESRunMins", 30}, TresRunMinsCell},
    {{"User", 10}, UserCell},
};

// The columns shown when --format names none.
std::string DefaultFormat(const SshareOptions& options, bool fair_tree) {
  const char* partition = options.partitions ? ",Partition" : "";
  if (!options.long_listing) {
    return absl::StrCat("Account,User", partition,
                        ",RawShares,NormShares,RawUsage,EffectvUsage,FairShare");
  }
  return absl::StrCat("Account,User", partition,
                      ",RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare",
                      fair_tree ? ",LevelFS" : "", ",GrpTRESMins,TRESRunMins");
}

// One `name%width` of --format; a name may be cut short, as in Slurm. A negative
// width puts the text on the left, any other on the right.
absl::StatusOr<ShareField> ParseField(absl::string_view text) {
  const std::vector<absl::string_view> parts = absl::StrSplit(text, absl::MaxSplits('%', 1));
  const absl::string_view name = absl::StripAsciiWhitespace(parts[0]);
  const auto* found =
      std::find_if(std::begin(kFields), std::end(kFields), [&](const ShareField& field) {
        return !name.empty() && absl::StartsWithIgnoreCase(field.field.name, name);
      });
  if (found == std::end(kFields)) {
    std::vector<std::string> names;
    for (const ShareField& field : kFields) names.push_back(field.field.name);
    return OptionError(
        absl::StrCat("--format: got field \"", name, "\"", slurm::WantOneOf(name, names)));
  }
  ShareField field = *found;
  if (parts.size() == 1) return field;
  int width = 0;
  if (!absl::SimpleAtoi(parts[1], &width) || width == 0 || std::abs(width) > 1000) {
    return OptionError(absl::StrCat("--format: got width \"", parts[1], "\", want 1 to 1000"));
  }
  field.field.width = std::abs(width);
  field.field.left = width < 0;
  return field;
}

absl::StatusOr<std::vector<ShareField>> ParseShareFields(absl::string_view format) {
  std::vector<ShareField> fields;
  for (absl::string_view name : absl::StrSplit(format, ',', absl::SkipWhitespace())) {
    absl::StatusOr<ShareField> field = ParseField(name);
    if (!field.ok()) return field.status();
    fields.push_back(*std::move(field));
  }
  if (fields.empty()) return OptionError("--format: got no field, want one at least");
  return fields;
}

// The users whose rows are wanted; empty = all.
std::vector<std::string> WantedUsers(const SshareOptions& options,
                                     const std::string& calling_user) {
  if (options.all) return {};
  return options.users.empty() ? std::vector<std::string>{calling_user} : options.users;
}

bool IsWanted(const AssociationShare& share, const SshareOptions& options,
              const std::vector<std::string>& users) {
  if (share.user().empty()) return !options.users_only;
  return users.empty() || std::find(users.begin(), users.end(), share.user()) != users.end();
}

// Indents a row below the rows printed above it, and remembers accounts.
int Indent(const AssociationShare& share, std::map<std::string, int>& indents) {
  const std::string& above = share.user().empty() ? share.parent_account() : share.account();
  const auto it = indents.find(above);
  const int indent = it == indents.end() ? 0 : it->second + 1;
  if (share.user().empty()) indents[share.account()] = indent;
  return indent;
}

// A row's cells. An account on the right of its column is not indented, as in Slurm.
std::vector<SlurmCell> Cells(const std::vector<ShareField>& fields, const ShareRow& row) {
  std::vector<SlurmCell> cells;
  for (const ShareField& field : fields) {
    const bool flat = field.cell == AccountCell && !field.field.left;
    cells.push_back(flat ? SlurmCell(row.share.account()) : field.cell(row));
  }
  return cells;
}

}  // namespace

::priority::v1::ListSharesRequest SharesRequest(const SshareOptions& options,
                                                const std::string& calling_user) {
  ::priority::v1::ListSharesRequest request;
  for (const std::string& account : options.accounts) request.add_accounts(account);
  // Slurm shows every account, or those named, whether or not a selected user is in them; the
  // users are picked out of the answer.
  if (!options.users_only || !options.accounts.empty()) return request;
  for (const std::string& user : WantedUsers(options, calling_user)) request.add_users(user);
  return request;
}

absl::Status PrintShares(const ListSharesResponse& shares, const SshareOptions& options,
                         const std::string& calling_user, std::ostream& out) {
  const bool fair_tree = shares.fair_share_algorithm() == "fair_tree";
  absl::StatusOr<std::vector<ShareField>> fields =
      ParseShareFields(options.format.empty() ? DefaultFormat(options, fair_tree) : options.format);
  if (!fields.ok()) return fields.status();
  std::vector<SlurmField> columns;
  for (const ShareField& field : *fields) columns.push_back(field.field);
  SlurmTable table(columns, options.layout, options.full_precision, &out);
  if (options.header) table.PrintHeader();
  const std::vector<std::string> users = WantedUsers(options, calling_user);
  const std::vector<std::string> tres = TresOf(shares);
  std::map<std::string, int> indents;
  for (const AssociationShare& share : shares.shares()) {
    if (!IsWanted(share, options, users)) continue;
    const ShareRow row{share, Indent(share, indents), shares.snapshot().cluster(), tres,
                       options.full_precision};
    table.PrintRow(Cells(*fields, row));
  }
  return absl::OkStatus();
}

absl::Status CheckFormat(const SshareOptions& options) {
  return options.format.empty() ? absl::OkStatus() : ParseShareFields(options.format).status();
}

void PrintShareFields(std::ostream& out) {
  constexpr size_t kPerLine = 4;
  for (size_t i = 0; i < std::size(kFields); ++i) {
    const bool last = i % kPerLine == kPerLine - 1 || i + 1 == std::size(kFields);
    out << absl::StreamFormat("%-17s%c", kFields[i].field.name, last ? '\n' : ' ');
  }
}

namespace {

absl::Status Run(const SshareOptions& options, const client::PriorityClient& client,
                 Console& console) {
  if (options.help_format) {
    PrintShareFields(console.out);
    return absl::OkStatus();
  }
  if (absl::Status format = CheckFormat(options); !format.ok()) return format;
  const std::string user = CallingUser();
  const absl::StatusOr<::priority::v1::ListSharesResponse> shares =
      client.ListAllShares(SharesRequest(options, user));
  if (!shares.ok()) return shares.status();
  if (options.json) return PrintJson(*shares, console.out);
  jobs::WarnOfStaleness(shares->snapshot(), console.err);
  return PrintShares(*shares, options, user, console.out);
}

void AddSshareOptions(CLI::App* app, CommandLine& line) {
  AddToolOptions(app, "sshare");
  auto options = Adopt<SshareOptions>(app, line, Run);
  AddList(app, "-A,--accounts", options->accounts, "Only these accounts");
  app->add_flag("-a,--all", options->all, "All users, not just the calling one");
  app->add_flag("-e,--helpformat", options->help_format, "Print the fields that --format takes");
  app->add_flag("-l,--long", options->long_listing, "More columns");
  AddClusters(app, line);
  app->add_flag("-m,--partition", options->partitions, "Name the partition of an association");
  app->add_flag_callback(
      "-n,-h,--noheader", [options] { options->header = false; }, "Print no header");
  app->add_option("-o,--format", options->format, "Fields, each with a width if wanted")
      ->type_name("NAME[%WIDTH],...");
  AddLayout(app, options->layout);
  AddList(app, "-u,--users", options->users, "Only these users");
  app->add_flag("-U,--Users", options->users_only, "Only users, not the accounts above them");
  app->add_flag("--full-precision", options->full_precision,
                "Every number with 17 significant digits, RawUsage too");
  AddJson(app, options->json);
}

}  // namespace

const Command kSshareCommand = {"sshare", "The association tree, as Slurm's sshare shows it",
                                AddSshareOptions};

}  // namespace priorityd::prioctl
