#include "client/prioctl/site/fleet.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/input_file.h"
#include "client/prioctl/text/connection_advice.h"
#include "client/prioctl/text/option_error.h"
#include "client/rpc_error.h"

namespace priorityd::prioctl {
namespace {

constexpr char kVariable[] = "PRIORITYD_FLEET";
constexpr char kFile[] = "/etc/priorityd/fleet.conf";
constexpr char kWant[] = "want NAME = ADDRESS[,ADDRESS...]";

bool IsName(absl::string_view name) {
  return !name.empty() && absl::c_all_of(name, [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
  });
}

// Empty addresses = it is no such line.
FleetCell ParseCell(absl::string_view line) {
  const std::vector<absl::string_view> parts = absl::StrSplit(line, absl::MaxSplits('=', 1));
  FleetCell cell;
  cell.name = std::string(absl::StripAsciiWhitespace(parts[0]));
  if (parts.size() < 2 || !IsName(cell.name)) return cell;
  for (const absl::string_view address : absl::StrSplit(parts[1], ',')) {
    const absl::string_view stripped = absl::StripAsciiWhitespace(address);
    if (stripped.empty()) return {cell.name, {}};
    cell.addresses.emplace_back(stripped);
  }
  return cell;
}

bool Has(const std::vector<FleetCell>& cells, const std::string& name) {
  return absl::c_any_of(cells, [&](const FleetCell& cell) { return cell.name == name; });
}

absl::StatusOr<std::vector<FleetCell>> OfOptions(const std::vector<std::string>& options) {
  std::vector<FleetCell> cells;
  for (const std::string& option : options) {
    FleetCell cell = ParseCell(option);
    if (cell.addresses.empty()) {
      return OptionError(
          absl::StrCat("--cell: got \"", option, "\", want NAME=ADDRESS[,ADDRESS...]"));
    }
    if (Has(cells, cell.name)) {
      return OptionError(absl::StrCat("--cell: got ", cell.name, " twice, want each name once"));
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::string FileOf(const FleetOptions& options) {
  if (!options.file.empty()) return options.file;
  const char* variable = std::getenv(kVariable);
  return variable != nullptr && *variable != '\0' ? variable : kFile;
}

}  // namespace

void AddFleet(CLI::App* app, FleetOptions& options) {
  app->add_option("--fleet", options.file,
                  "The cells, a line NAME = ADDRESS[,ADDRESS...] for each (default: "
                  "$PRIORITYD_FLEET, or /etc/priorityd/fleet.conf)")
      ->type_name("FILE");
  app->add_option("--cell", options.cells, "A cell, instead of the file; may be repeated")
      ->type_name("NAME=ADDRESS,...")
      ->allow_extra_args(false);
}

absl::StatusOr<std::vector<FleetCell>> ParseFleet(absl::string_view text, absl::string_view file) {
  std::vector<FleetCell> cells;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    FleetCell cell = ParseCell(line);
    if (cell.addresses.empty() || Has(cells, cell.name)) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, " line ", number, ": got \"", line, "\", ",
                       cell.addresses.empty() ? kWant : "want each name once"));
    }
    cells.push_back(std::move(cell));
  }
  if (!cells.empty()) return cells;
  return absl::InvalidArgumentError(absl::StrCat(file, ": got no cell, ", kWant));
}

absl::StatusOr<std::vector<FleetCell>> ReadFleet(const FleetOptions& options) {
  if (!options.cells.empty()) return OfOptions(options.cells);
  const std::string file = FileOf(options);
  const absl::StatusOr<std::string> text = ReadFile(file);
  if (!text.ok()) {
    return absl::Status(text.status().code(),
                        absl::StrCat(text.status().message(),
                                     "; want a file that lists the cells (see docs/scale.md), "
                                     "named by --fleet or PRIORITYD_FLEET, or --cell"));
  }
  return ParseFleet(*text, file);
}

std::unique_ptr<client::PriorityClient> ConnectTo(const FleetCell& cell,
                                                  const client::PriorityClient& client,
                                                  bool patient, std::string address) {
  client::ConnectOptions options = client.options();
  options.address = address.empty() ? absl::StrJoin(cell.addresses, ",") : std::move(address);
  options.cluster.clear();
  if (patient) options.retry.max_attempts = std::numeric_limits<int>::max();
  return std::make_unique<client::PriorityClient>(std::move(options));
}

absl::Status ErrorOfCell(absl::string_view cell, const client::PriorityClient& client,
                         const absl::Status& status) {
  const client::ConnectOptions& options = client.options();
  const std::string text = client::Describe(status);
  const std::string none = absl::StrCat("cell ", cell, ": got no answer from ", options.address);
  // An error without a reason is not from priorityd.
  if (absl::IsUnavailable(status) && client::Reason(status).empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(none, " (", ConnectionCause(text), "), want one"));
  }
  if (absl::IsDeadlineExceeded(status)) {
    return absl::FailedPreconditionError(absl::StrCat(
        none, ", want one within ", absl::FormatDuration(options.deadline), " (--timeout)"));
  }
  return client::Retold(status, absl::StrCat("cell ", cell, ": ", text));
}

}  // namespace priorityd::prioctl
