#include "tests/server/metrics/documented_metrics.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace priorityd::metrics {
namespace {

std::vector<std::string> LinesOf(const std::string& text) {
  return absl::StrSplit(text, '\n', absl::SkipEmpty());
}

// The name without what a histogram's series have at its end.
std::string FamilyOf(const std::string& series, const MetricList& list) {
  for (const char* suffix : {"_bucket", "_count", "_sum"}) {
    const std::string family(absl::StripSuffix(series, suffix));
    const auto found = list.find(family);
    if (family != series && found != list.end() && found->second.type == "histogram") return family;
  }
  return series;
}

std::set<std::string> LabelsOf(const std::string& line) {
  std::set<std::string> labels;
  std::string name;
  bool quoted = false;
  for (size_t i = line.find('{'); i != std::string::npos && i + 1 < line.size();) {
    const char c = line[++i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '=') {
      if (name != "le") labels.insert(name);
      name.clear();
    } else if (c == '"') {
      quoted = true;
    } else if (c == '}') {
      return labels;
    } else if (c != ',') {
      name += c;
    }
  }
  return labels;
}

bool IsUnitOf(const std::string& name, const std::string& unit) {
  const std::string base(absl::StripSuffix(name, "_total"));
  const bool has_unit = absl::EndsWith(base, "_seconds") || absl::EndsWith(base, "_bytes");
  return unit.empty() ? !has_unit : absl::EndsWith(base, absl::StrCat("_", unit));
}

std::string Row(const std::string& name, const Metric& metric) {
  std::string unit;
  for (const char* known : {"seconds", "bytes"}) {
    if (IsUnitOf(name, known)) unit = known;
  }
  return absl::StrCat("| `", name, "` | ", metric.type, " | ", unit, " | ",
                      absl::StrJoin(metric.labels, ", "), " | ", metric.meaning, " |");
}

}  // namespace

MetricList ReadPage(const std::string& page, std::vector<std::string>* faults) {
  MetricList list;
  for (const std::string& line : LinesOf(page)) {
    if (!absl::StartsWith(line, "| `")) continue;
    const std::vector<std::string> cells = absl::StrSplit(line, " | ");
    if (cells.size() != 5) {
      faults->push_back(absl::StrCat("want five cells: ", line));
      continue;
    }
    const std::string name(absl::StripSuffix(absl::StripPrefix(cells[0], "| `"), "`"));
    if (!IsUnitOf(name, cells[2])) faults->push_back(absl::StrCat("unit: ", line));
    list[name] = {.type = cells[1],
                  .labels = absl::StrSplit(cells[3], ", ", absl::SkipEmpty()),
                  .meaning = std::string(absl::StripSuffix(cells[4], " |"))};
  }
  return list;
}

MetricList ReadScrape(const std::string& text) {
  MetricList list;
  for (const std::string& line : LinesOf(text)) {
    const std::vector<std::string> words = absl::StrSplit(line, absl::MaxSplits(' ', 3));
    if (words[0] == "#" && words[1] == "HELP") list[words[2]].meaning = words[3];
    if (words[0] == "#" && words[1] == "TYPE") list[words[2]].type = words[3];
    if (words[0] == "#") continue;
    const std::string series = line.substr(0, line.find_first_of("{ "));
    list[FamilyOf(series, list)].labels.merge(LabelsOf(line));
  }
  return list;
}

std::vector<std::string> Differences(const MetricList& documented, const MetricList& scraped) {
  std::vector<std::string> differences;
  for (const auto& [name, metric] : scraped) {
    const auto row = documented.find(name);
    if (row == documented.end()) {
      differences.push_back("not documented: " + Row(name, metric));
    } else if (!(row->second == metric)) {
      differences.push_back("documented otherwise: " + Row(name, metric));
    }
  }
  for (const auto& [name, metric] : documented) {
    if (!scraped.contains(name)) differences.push_back("not in the scrape: " + name);
  }
  return differences;
}

}  // namespace priorityd::metrics
