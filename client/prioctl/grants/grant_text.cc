#include "client/prioctl/grants/grant_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "engine/grants/amount.h"
#include "engine/grants/setting_values.h"
#include "engine/grants/settings.h"
#include "engine/priority/site/tres_sum.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

constexpr int kMostWindows = 1000;  // Of a statement.

std::string WithoutZeros(std::string decimals) {
  absl::string_view text = decimals;
  while (absl::ConsumeSuffix(&text, "0")) {
  }
  absl::ConsumeSuffix(&text, ".");
  return std::string(text);
}

// `exact`: the amount in TRES-seconds, for money.
std::string ExactAmountText(double minutes, const std::string& exact, const GrantLayout& layout) {
  const auto amount = grants::Amount::FromDecimal(exact);
  const bool is_exact = layout.money && !layout.for_people() && amount.ok();
  return is_exact ? grants::MoneyText(*amount) : GrantAmountText(minutes, layout);
}

// Where grants of several units are in one table; scripts get numbers alone.
std::string WithCurrency(const std::string& amount, const GrantLayout& layout) {
  if (!layout.money || !layout.for_people()) return amount;
  return absl::StrCat(amount, " ", layout.unit());
}

using GrantRows = std::vector<std::vector<std::string>>;

void PrintGrantRows(std::vector<Column> columns, const GrantRows& rows, SlurmLayout layout,
                    std::ostream& out) {
  if (layout == SlurmLayout::kFixedWidth) {
    Table table(std::move(columns));
    for (const std::vector<std::string>& row : rows) table.AddRow(row);
    table.Print(out);
    return;
  }
  std::vector<SlurmField> fields;
  for (const Column& column : columns) fields.push_back({.name = column.name});
  SlurmTable table(std::move(fields), layout, false, &out);
  table.PrintHeader();
  for (const auto& row : rows) table.PrintRow(std::vector<SlurmCell>(row.begin(), row.end()));
}

std::string EndText(const v1::GrantBalance& balance, const GrantLayout& layout) {
  return balance.has_end_time() ? TimeText(balance.end_time(), layout.zone) : "";
}

// `quarter until 2027-01-01T00:00:00`
std::string WindowText(const v1::Grant& grant, const GrantLayout& layout) {
  const std::string until = EndText(grant.balance(), layout);
  const std::string kind = SettingOf(grant, "Window");
  return until.empty() ? kind : absl::StrCat(kind, kind.empty() ? "until " : " until ", until);
}

std::vector<std::string> GrantRow(const v1::Grant& grant, const GrantLayout& given) {
  const GrantLayout layout = given.Of(grant);
  const v1::GrantBalance& balance = grant.balance();
  const auto of_window = [&](double minutes, const std::string& exact = "") {
    return !grant.has_balance() ? ""
                                : WithCurrency(ExactAmountText(minutes, exact, layout), layout);
  };
  return {grant.name(),
          GrantOwnerText(grant),
          SettingOf(grant, "TRES"),
          WindowText(grant, layout),
          of_window(balance.granted_minutes()),
          of_window(balance.available_minutes(), balance.available_tres_seconds()),
          of_window(balance.used_minutes(), balance.used_tres_seconds()),
          of_window(balance.left_minutes(), balance.left_tres_seconds()),
          of_window(grant.running_minutes(), grant.running_tres_seconds()),
          GrantStateText(grant.state())};
}

// A time of a setting, which the service writes as RFC 3339.
std::string SettingTimeText(const std::string& value, absl::TimeZone zone) {
  absl::Time time;
  if (!absl::ParseTime(absl::RFC3339_full, value, &time, nullptr)) return value;
  return TimeText(ToTimestamp(time), zone);
}

// In the order of SettingNames; others follow by name.
void PrintSettings(const v1::Grant& grant, absl::TimeZone zone, std::ostream& out) {
  const std::vector<std::string> known = grants::SettingNames();
  std::vector<std::string> names;
  for (const auto& [name, value] : grant.attributes()) names.push_back(name);
  const auto place = [&](const std::string& name) {
    return std::make_pair(absl::c_find(known, name), name);
  };
  absl::c_sort(names, [&](const auto& a, const auto& b) { return place(a) < place(b); });
  for (const std::string& name : names) {
    const bool is_time = name == "Begin" || name == "End";
    const std::string value = SettingOf(grant, name);
    out << "  " << name << '=' << (is_time ? SettingTimeText(value, zone) : value) << '\n';
  }
}

// The effect of the consequence on jobs; empty for none.
std::string EffectText(absl::string_view consequence) {
  if (consequence == "block") return "its jobs wait";
  if (consequence == "refuse") return "new jobs are refused";
  if (consequence == "warn") return "explanations of its jobs say so";
  if (absl::ConsumePrefix(&consequence, "cap:")) {
    return absl::StrCat("its running jobs have at most ", consequence);
  }
  if (!absl::ConsumePrefix(&consequence, "demote:")) return "";
  if (absl::ConsumePrefix(&consequence, "Band=")) {
    return absl::StrCat("its jobs have a priority of at most ", consequence);
  }
  const auto [factor, part] =
      std::pair<absl::string_view, absl::string_view>(absl::StrSplit(consequence, '='));
  if (part.empty()) return absl::StrCat("its jobs have the QOS factor of ", consequence);
  return absl::StrCat("its jobs have ", part, " of the points of ",
                      factor == "Priority" ? "every factor" : factor);
}

// The consequence of the used up grant, and its end.
std::string ConsequenceText(const v1::Grant& grant, const GrantLayout& layout) {
  const std::string owner = GrantOwnerText(grant);
  const std::string last = absl::StrCat("Of several grants of ", owner,
                                        " the consequence of the last one used counts.\n");
  const std::string what = EffectText(SettingOf(grant, "Consequence"));
  if (what.empty()) return absl::StrCat("Used up, without a consequence of its own. ", last);
  const std::string until = EndText(grant.balance(), layout);
  return absl::StrCat("Used up. Where no other grant of ", owner, " has anything left, ", what,
                      until.empty() ? "" : " until ", until, ". ", last);
}

void PrintBalance(const v1::Grant& grant, const GrantLayout& layout, std::ostream& out) {
  const v1::GrantBalance& balance = grant.balance();
  const std::string end = EndText(balance, layout);
  out << "\nWindow from " << TimeText(balance.begin_time(), layout.zone)
      << (end.empty() ? "" : absl::StrCat(" to ", end)) << ":\n\n";
  Table table({{"AMOUNT"}, {layout.unit(), true}, {"MEANING"}});
  const auto add = [&](const char* name, double minutes, const char* meaning) {
    table.AddRow({name, GrantAmountText(minutes, layout), meaning});
  };
  add("granted", balance.granted_minutes(), "by the grant");
  add("carried", balance.carried_minutes(), "carried over from earlier windows");
  add("repaid", balance.repaid_minutes(), "borrowed by the window before");
  add("transferred", balance.transferred_minutes(), "by transfers; below 0 = to other grants");
  add("available", balance.available_minutes(), "granted + carried - repaid + transferred");
  add("used", balance.used_minutes(),
      layout.money ? "by jobs, at their prices" : "by jobs, times UsageFactor");
  add("left", balance.left_minutes(), "available - used; below 0 = overdrawn");
  add("beyond", balance.beyond_minutes(), "may be used beyond that: Borrow and Grace");
  add("running", grant.running_minutes(),
      layout.money ? "what running jobs may still cost" : "what running jobs may still use");
  table.Print(out);
}

void PrintVersions(const v1::Grant& grant, const GrantLayout& layout, std::ostream& out) {
  Table table({{"EFFECTIVE"}, {"AMOUNT", true}, {"BY"}, {"COMMENT"}});
  for (const v1::GrantVersion& version : grant.versions()) {
    table.AddRow({TimeText(version.effective_time(), layout.zone, version.has_effective_time()),
                  GrantAmountText(version.amount_minutes(), layout), version.changed_by(),
                  version.comment()});
  }
  if (!table.empty()) out << '\n';
  table.Print(out);
}

// The amounts that have a sum.
v1::GrantBalance SumOf(const v1::GetGrantStatementResponse& statement) {
  v1::GrantBalance sum;
  for (const v1::GrantBalance& window : statement.windows()) {
    sum.set_granted_minutes(sum.granted_minutes() + window.granted_minutes());
    sum.set_carried_minutes(sum.carried_minutes() + window.carried_minutes());
    sum.set_repaid_minutes(sum.repaid_minutes() + window.repaid_minutes());
    sum.set_transferred_minutes(sum.transferred_minutes() + window.transferred_minutes());
    sum.set_used_minutes(sum.used_minutes() + window.used_minutes());
  }
  return sum;
}

std::vector<std::string> StatementRow(const v1::GrantBalance& window, const GrantLayout& layout) {
  const auto text = [&](double minutes, const std::string& exact = "") {
    return ExactAmountText(minutes, exact, layout);
  };
  return {TimeText(window.begin_time(), layout.zone, window.has_begin_time()),
          EndText(window, layout),
          text(window.granted_minutes()),
          text(window.carried_minutes()),
          text(window.repaid_minutes()),
          text(window.transferred_minutes()),
          text(window.available_minutes(), window.available_tres_seconds()),
          text(window.used_minutes(), window.used_tres_seconds()),
          text(window.left_minutes(), window.left_tres_seconds())};
}

}  // namespace

GrantLayout GrantLayout::Of(const v1::Grant& grant) const {
  GrantLayout layout = *this;
  layout.money = priority::IsPrice(SettingOf(grant, "TRES"));
  layout.currency = grant.currency();
  return layout;
}

std::string GrantAmountText(double minutes, const GrantLayout& layout) {
  const double amount = layout.hours || layout.money ? minutes / 60 : minutes;
  if (layout.for_people()) return HundredthsText(amount);
  const std::string text = WithoutZeros(absl::StrFormat("%.6f", amount));
  return text == "-0" ? "0" : text;
}

std::string GrantStateText(v1::GrantState state) {
  switch (state) {
    case v1::GRANT_STATE_NOT_BEGUN:
      return "not begun";
    case v1::GRANT_STATE_ACTIVE:
      return "active";
    case v1::GRANT_STATE_EXHAUSTED:
      return "exhausted";
    case v1::GRANT_STATE_ENDED:
      return "ended";
    case v1::GRANT_STATE_REVOKED:
      return "revoked";
    default:
      return absl::StrCat("state ", state);  // Of a newer service.
  }
}

std::string SettingOf(const v1::Grant& grant, const std::string& name) {
  const auto found = grant.attributes().find(name);
  return found == grant.attributes().end() ? "" : found->second;
}

std::string GrantOwnerText(const v1::Grant& grant) {
  const std::string user = SettingOf(grant, "User");
  const std::string accounts = SettingOf(grant, "Accounts");
  return user.empty() ? accounts : absl::StrCat(user, " in ", accounts);
}

void PrintGrants(const v1::ListGrantsResponse& list, const GrantLayout& layout, std::ostream& out) {
  GrantRows rows;
  for (const v1::Grant& grant : list.grants()) rows.push_back(GrantRow(grant, layout));
  PrintGrantRows({{"NAME"},
                  {"OWNER"},
                  {"TRES"},
                  {"WINDOW"},
                  {"GRANTED", true},
                  {"AVAILABLE", true},
                  {"USED", true},
                  {"LEFT", true},
                  {"RUNNING", true},
                  {"STATE"}},
                 rows, layout.table, out);
  if (!layout.for_people()) return;
  const auto is_money = [&](const v1::Grant& grant) { return layout.Of(grant).money; };
  const char* const money =
      absl::c_any_of(list.grants(), is_money) ? ", those of price books in their currency" : "";
  if (!rows.empty()) out << "\nin " << layout.unit() << money << "; ";
  out << SnapshotText(list.snapshot(), layout.zone) << '\n';
}

void PrintGrant(const v1::GetGrantStatementResponse& statement, const GrantLayout& given,
                std::ostream& out) {
  const v1::Grant& grant = statement.grant();
  const GrantLayout layout = given.Of(grant);
  out << "Grant " << grant.name() << ": " << GrantStateText(grant.state()) << '\n';
  PrintSettings(grant, layout.zone, out);
  if (grant.state() == v1::GRANT_STATE_EXHAUSTED) out << ConsequenceText(grant, layout);
  if (grant.has_balance()) PrintBalance(grant, layout, out);
  PrintVersions(grant, layout, out);
  out << '\n' << SnapshotText(statement.snapshot(), layout.zone) << '\n';
}

void PrintStatement(const v1::GetGrantStatementResponse& statement, const GrantLayout& given,
                    std::ostream& out) {
  const GrantLayout layout = given.Of(statement.grant());
  GrantRows rows;
  for (const v1::GrantBalance& window : statement.windows()) {
    rows.push_back(StatementRow(window, layout));
  }
  if (!rows.empty() && layout.for_people()) {
    rows.push_back(StatementRow(SumOf(statement), layout));
    std::vector<std::string>& sum = rows.back();
    sum[0] = "sum";
    sum[6] = sum[8] = "";  // AVAILABLE and LEFT have none.
  }
  if (layout.for_people()) {
    const v1::Grant& grant = statement.grant();
    out << "Grant " << grant.name() << " of " << GrantOwnerText(grant) << ", "
        << SettingOf(grant, "TRES") << ", in " << layout.unit() << ": "
        << GrantStateText(grant.state()) << "\n\n";
  }
  PrintGrantRows({{"BEGIN"},
                  {"END"},
                  {"GRANTED", true},
                  {"CARRIED", true},
                  {"REPAID", true},
                  {"TRANSFERRED", true},
                  {"AVAILABLE", true},
                  {"USED", true},
                  {"LEFT", true}},
                 rows, layout.table, out);
  if (!layout.for_people()) return;
  if (!rows.empty()) out << '\n';
  if (statement.windows_size() == kMostWindows) {
    out << "These are the last " << CountText(kMostWindows) << " windows, and their sum.\n";
  }
  out << SnapshotText(statement.snapshot(), layout.zone) << '\n';
}

}  // namespace priorityd::prioctl
