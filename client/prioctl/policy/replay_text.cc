#include "client/prioctl/policy/replay_text.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "client/prioctl/text/table.h"
#include "client/prioctl/text/text.h"
#include "engine/numbers/whole_number.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::prioctl {
namespace {

using laboratory::Group;
using laboratory::Spread;
using replay::Report;

std::string SecondsText(double seconds) { return slurm::FormatTimeString(absl::Seconds(seconds)); }
std::string PartText(double part) { return absl::StrFormat("%.1f %%", 100 * part); }

// Where no job started there is nothing to measure: 0 would be the best of all waits.
std::string SpreadText(const Spread& of, double seconds) {
  return of.jobs == 0 ? "-" : SecondsText(seconds);
}
std::string SlowdownText(const Spread& of, double slowdown) {
  return of.jobs == 0 ? "-" : absl::StrFormat("%.2f", slowdown);
}

std::string MomentText(absl::Time time) { return TimeText(ToTimestamp(time)); }

std::string CountsText(const std::map<std::string, int64_t>& counts) {
  return absl::StrJoin(counts, ", ", [](std::string* text, const auto& count) {
    absl::StrAppend(text, CountText(count.second), " ", count.first);
  });
}

void PrintHead(const Report& report, std::ostream& out) {
  out << report.history << ": " << CountedText(report.jobs, "job") << ", "
      << CountText(report.columns.back().measures.jobs) << " of them played, eligible from "
      << MomentText(report.period.begin) << " to " << MomentText(report.period.end) << "\non "
      << CountedText(numbers::WholePart(report.nodes), "node") << " with "
      << CountedText(numbers::WholePart(report.cpus), "CPU");
  if (report.load_factor != 1) out << ", " << NumberText(report.load_factor) << " times as fast";
  out << '\n';
  for (const replay::Column& column : report.columns) {
    if (!column.about.empty()) out << column.name << ": " << column.about << '\n';
  }
  if (!report.left_out.empty()) out << "left out: " << CountsText(report.left_out) << '\n';
  if (!report.has_waits && report.load_factor == 1) {
    out << "The trace has no wait times: jobs are taken to be submitted when they started.\n";
  }
  for (const std::string& note : report.notes) out << "note: " << note << '\n';
  out << '\n';
}

std::string SameText(const replay::Column& column) {
  if (!column.from_recorded.has_value()) return "";
  const laboratory::Difference& difference = *column.from_recorded;
  if (difference.jobs == 0) return "-";
  return absl::StrCat(
      CountText(difference.same), " (",
      PartText(static_cast<double>(difference.same) / static_cast<double>(difference.jobs)), ")");
}

std::string DistanceText(const replay::Column& column) {
  if (!column.from_recorded.has_value()) return "";
  const laboratory::Difference& difference = *column.from_recorded;
  return difference.jobs == 0 ? "-" : SecondsText(difference.mean_seconds);
}

std::string WaitOf(const replay::Column& column, double Spread::*figure) {
  return SpreadText(column.measures.wait, column.measures.wait.*figure);
}

// A line of the first table: what it is, and its cell of a column.
struct Line {
  const char* name;
  std::function<std::string(const replay::Column&)> cell;
};

const std::vector<Line>& Lines() {
  using replay::Column;
  static const auto* const lines = new std::vector<Line>{
      {"jobs started", [](const Column& of) { return CountText(of.measures.wait.jobs); }},
      {"jobs never started",
       [](const Column& of) { return CountText(of.measures.jobs - of.measures.wait.jobs); }},
      {"backfilled",
       [](const Column& of) { return of.about.empty() ? "" : CountText(of.backfilled); }},
      {"started as recorded", SameText},
      {"mean distance from it", DistanceText},
      {"wait, mean", [](const Column& of) { return WaitOf(of, &Spread::mean); }},
      {"wait, median", [](const Column& of) { return WaitOf(of, &Spread::median); }},
      {"wait, 95 %", [](const Column& of) { return WaitOf(of, &Spread::p95); }},
      {"wait, longest", [](const Column& of) { return WaitOf(of, &Spread::largest); }},
      {"forecast median wait, median",
       [](const Column& of) {
         return of.forecasts.has_value() ? SecondsText(of.forecasts->median_wait) : "";
       }},
      {"forecast interval, median length",
       [](const Column& of) {
         return of.forecasts.has_value() ? SecondsText(of.forecasts->median_length) : "";
       }},
      {"started before it",
       [](const Column& of) {
         return of.forecasts.has_value() ? PartText(of.forecasts->before_q10) : "";
       }},
      {"started after it",
       [](const Column& of) {
         return of.forecasts.has_value() ? PartText(of.forecasts->after_q90) : "";
       }},
      {"bounded slowdown, mean",
       [](const Column& of) {
         return SlowdownText(of.measures.slowdown, of.measures.slowdown.mean);
       }},
      {"bounded slowdown, median",
       [](const Column& of) {
         return SlowdownText(of.measures.slowdown, of.measures.slowdown.median);
       }},
      {"utilisation", [](const Column& of) { return PartText(of.measures.utilisation); }},
      {"makespan", [](const Column& of) { return slurm::FormatTimeString(of.measures.makespan); }},
      {"Jain's index, usage by share",
       [](const Column& of) {
         return of.fairness.samples == 0 ? "-" : absl::StrFormat("%.3f", of.fairness.jain_index);
       }},
  };
  return *lines;
}

void PrintColumns(const Report& report, std::ostream& out) {
  std::vector<Column> heading = {{""}};
  for (const replay::Column& column : report.columns) heading.push_back({column.name, true});
  Table table(heading);
  for (const Line& line : Lines()) {
    std::vector<std::string> cells = {line.name};
    for (const replay::Column& column : report.columns) cells.push_back(line.cell(column));
    // Where nothing was recorded, nothing is said of it.
    const bool says = std::any_of(cells.begin() + 1, cells.end(),
                                  [](const std::string& cell) { return !cell.empty(); });
    if (says) table.AddRow(std::move(cells));
  }
  table.Print(out);
  for (const replay::Column& column : report.columns) {
    if (column.never_started.empty()) continue;
    out << column.name << ": never started: " << CountsText(column.never_started) << '\n';
  }
}

const Group* Find(const std::vector<Group>& groups, const std::string& name) {
  for (const Group& group : groups) {
    if (group.name == name) return &group;
  }
  return nullptr;
}

// The names of all columns, in their order.
std::vector<std::string> NamesOf(const Report& report,
                                 std::vector<Group> laboratory::Measures::*groups) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const replay::Column& column : report.columns) {
    for (const Group& group : column.measures.*groups) {
      if (known.insert(group.name).second) names.push_back(group.name);
    }
  }
  return names;
}

// Keeps the names with the most CPU time in the first column that has them.
void KeepLargest(const Report& report, uint32_t most, std::vector<std::string>* names) {
  std::map<std::string, double> seconds;
  for (const replay::Column& column : report.columns) {
    for (const Group& group : column.measures.users) {
      seconds.emplace(group.name, group.cpu_seconds);
    }
  }
  std::stable_sort(names->begin(), names->end(), [&](const std::string& a, const std::string& b) {
    return seconds[a] > seconds[b];
  });
  if (most > 0 && names->size() > most) names->resize(most);
}

// Each figure has a column for each schedule.
void PrintGroups(const Report& report, const std::string& what,
                 std::vector<Group> laboratory::Measures::*groups,
                 const std::vector<std::string>& names, bool with_usage, std::ostream& out) {
  std::vector<Column> heading = {{absl::AsciiStrToUpper(what)}, {"JOBS", true}};
  if (with_usage) heading.push_back({"SHARE", true});
  const auto add = [&](const char* figure) {
    for (const replay::Column& column : report.columns) {
      heading.push_back({absl::StrCat(figure, " ", column.name), true});
    }
  };
  if (with_usage) add("USAGE");
  add("WAIT");
  add("SLOWDOWN");
  Table table(heading);
  for (const std::string& name : names) {
    std::vector<const Group*> found;
    const Group* any = nullptr;
    for (const replay::Column& column : report.columns) {
      found.push_back(Find(column.measures.*groups, name));
      if (any == nullptr) any = found.back();
    }
    std::vector<std::string> cells = {name, CountText(any->jobs)};
    if (with_usage) cells.push_back(any->share.has_value() ? PartText(*any->share) : "");
    const auto fill = [&](auto text) {
      for (const Group* group : found) cells.push_back(group == nullptr ? "" : text(*group));
    };
    if (with_usage) fill([](const Group& group) { return PartText(group.usage); });
    fill([](const Group& group) { return SpreadText(group.wait, group.wait.mean); });
    fill([](const Group& group) { return SlowdownText(group.wait, group.slowdown); });
    table.AddRow(std::move(cells));
  }
  out << '\n';
  table.Print(out);
}

std::string LocalText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%S", time, absl::LocalTimeZone());
}

constexpr size_t kMostRefusedShown = 20;  // Of each grant.

// The users whose jobs were refused.
void PrintRefused(const replay::Column& column, std::ostream& out) {
  Table table({{"REFUSED BY"}, {"USER"}, {"JOBS", true}, {"FIRST"}, {"LAST"}});
  size_t omitted = 0;
  for (const laboratory::GrantFigures& grant : column.grants) {
    const size_t shown = std::min(grant.refused.size(), kMostRefusedShown);
    omitted += grant.refused.size() - shown;
    for (size_t i = 0; i < shown; ++i) {
      const laboratory::RefusedUser& user = grant.refused[i];
      table.AddRow({grant.name, user.user, CountText(user.jobs), LocalText(user.first),
                    LocalText(user.last)});
    }
  }
  if (table.empty()) return;
  out << '\n';
  table.Print(out);
  if (omitted > 0) out << CountedText(static_cast<int64_t>(omitted), "more user") << " (--json)\n";
}

// The final state of the grants under each policy.
void PrintGrants(const Report& report, std::ostream& out) {
  for (const replay::Column& column : report.columns) {
    if (column.grants.empty()) continue;
    Table table({{"GRANT"},
                 {"CONSEQUENCE"},
                 {"USED UP"},
                 {"FOR", true},
                 {"JOBS", true},
                 {"USERS", true},
                 {"WAIT", true},
                 {"WITHOUT", true}});
    for (const laboratory::GrantFigures& grant : column.grants) {
      const bool is = grant.first.has_value();
      table.AddRow({grant.name, grant.consequence, is ? LocalText(*grant.first) : "-",
                    is ? SecondsText(absl::ToDoubleSeconds(grant.length)) : "-",
                    CountText(grant.jobs), CountText(grant.users),
                    grant.jobs > 0 && grant.refused.empty() ? SecondsText(grant.wait) : "-",
                    grant.jobs > 0 ? SecondsText(grant.wait_without) : "-"});
    }
    out << '\n' << column.name << '\n';
    table.Print(out);
    PrintRefused(column, out);
  }
}

}  // namespace

void PrintReport(const Report& report, uint32_t users, std::ostream& out) {
  PrintHead(report, out);
  PrintColumns(report, out);
  PrintGrants(report, out);
  const auto accounts = NamesOf(report, &laboratory::Measures::accounts);
  PrintGroups(report, "account", &laboratory::Measures::accounts, accounts, true, out);
  std::vector<std::string> shown = NamesOf(report, &laboratory::Measures::users);
  const size_t all = shown.size();
  KeepLargest(report, users, &shown);
  PrintGroups(report, "user", &laboratory::Measures::users, shown, true, out);
  if (shown.size() < all) {
    out << CountedText(static_cast<int64_t>(all - shown.size()), "more user") << " (--users 0)\n";
  }
  PrintGroups(report, "size", &laboratory::Measures::sizes,
              NamesOf(report, &laboratory::Measures::sizes), false, out);
}

}  // namespace priorityd::prioctl
