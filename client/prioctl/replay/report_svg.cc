#include "client/prioctl/replay/report_svg.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/pictures/svg.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::replay {
namespace {

using pictures::Scale;
using pictures::ScaleTo;
using pictures::Svg;
using pictures::SvgAnchor;
using pictures::SvgPoint;

// Distinct for colour-blind readers as well (Okabe and Ito).
constexpr const char* kColors[] = {"#555555", "#0072b2", "#d55e00", "#009e73", "#cc79a7"};
constexpr char kGrid[] = "#dddddd";
constexpr char kInk[] = "#222222";
constexpr double kWidth = 960, kLeft = 190, kRight = 24;
constexpr double kCurveHeight = 170, kBarHeight = 11, kGroupGap = 9, kHeading = 46;
constexpr size_t kMostGroups = 12;

const char* ColorOf(size_t column) { return kColors[column % std::size(kColors)]; }

std::string NumberText(double value) { return absl::StrFormat("%.6g", value); }

using Curve = std::vector<double> laboratory::LoadCurve::*;
using Groups = std::vector<laboratory::Group> laboratory::Measures::*;

class Picture {
 public:
  explicit Picture(const Report& report)
      : report_(report),
        sizes_(NamesOf(&laboratory::Measures::sizes)),
        accounts_(NamesOf(&laboratory::Measures::accounts)),
        svg_(kWidth, Height(), absl::StrCat("prioctl policy replay of ", report.history)) {}

  std::string Draw() && {
    DrawLegend();
    DrawCurve("CPUs in use", &laboratory::LoadCurve::cpus, report_.cpus);
    DrawCurve("Jobs that wait", &laboratory::LoadCurve::waiting, 0);
    DrawWaits();
    DrawUsage();
    return std::move(svg_).Finish();
  }

 private:
  double BarsHeight(size_t groups) const {
    return kHeading +
           static_cast<double>(groups) *
               (kBarHeight * static_cast<double>(report_.columns.size()) + kGroupGap) +
           24;
  }

  double Height() const {
    return 60 + 20 * static_cast<double>(report_.columns.size()) + 2 * (kHeading + kCurveHeight) +
           40 + BarsHeight(sizes_.size()) + BarsHeight(accounts_.size());
  }

  // Of all columns, those with the most CPU time; in the order of the first column that has them.
  std::vector<std::string> NamesOf(Groups groups) const {
    std::vector<const laboratory::Group*> found;
    std::set<std::string> names;
    for (const Column& column : report_.columns) {
      for (const laboratory::Group& group : column.measures.*groups) {
        if (names.insert(group.name).second) found.push_back(&group);
      }
    }
    if (found.size() > kMostGroups) {
      std::stable_sort(found.begin(), found.end(), [](const auto* a, const auto* b) {
        return a->cpu_seconds > b->cpu_seconds;
      });
      found.resize(kMostGroups);
    }
    std::vector<std::string> chosen;
    for (const laboratory::Group* group : found) chosen.push_back(group->name);
    return chosen;
  }

  static const laboratory::Group* Find(const Column& column, Groups groups,
                                       const std::string& name) {
    for (const laboratory::Group& group : column.measures.*groups) {
      if (group.name == name) return &group;
    }
    return nullptr;
  }

  static std::string DayText(absl::Time time) {
    return absl::FormatTime("%Y-%m-%d", time, absl::UTCTimeZone());
  }

  void DrawLegend() {
    svg_.Text(24, 30, report_.history, {.size = 16});
    top_ = 52;
    for (size_t i = 0; i < report_.columns.size(); ++i, top_ += 20) {
      const Column& column = report_.columns[i];
      svg_.Rect({24, top_ - 9, 14, 10}, ColorOf(i), column.name);
      svg_.Text(46, top_,
                column.about.empty() ? column.name : absl::StrCat(column.name, ": ", column.about));
    }
  }

  void Heading(absl::string_view text) {
    top_ += kHeading;
    svg_.Text(24, top_ - 14, text, {.size = 14});
  }

  void DrawCurve(absl::string_view heading, Curve curve, double capacity) {
    Heading(heading);
    double largest = capacity;
    for (const Column& column : report_.columns) {
      for (const double value : column.load.*curve) largest = std::max(largest, value);
    }
    const Scale scale = ScaleTo(largest);
    const double width = kWidth - kLeft - kRight;
    const auto height_of = [&](double value) {
      return top_ + kCurveHeight - kCurveHeight * value / scale.top;
    };
    for (const double step : scale.steps) {
      svg_.Line({kLeft, height_of(step)}, {kWidth - kRight, height_of(step)}, {.color = kGrid});
      svg_.Text(kLeft - 8, height_of(step) + 4, NumberText(step),
                {.size = 11, .anchor = SvgAnchor::kEnd});
    }
    if (capacity > 0) {
      const double height = height_of(capacity);
      svg_.Line({kLeft, height}, {kWidth - kRight, height}, {.color = kInk, .dashed = true});
    }
    for (size_t i = 0; i < report_.columns.size(); ++i) {
      const std::vector<double>& values = report_.columns[i].load.*curve;
      std::vector<SvgPoint> points;
      for (size_t part = 0; part < values.size(); ++part) {
        const double x =
            kLeft + width * (static_cast<double>(part) + 0.5) / static_cast<double>(values.size());
        points.push_back({x, height_of(values[part])});
      }
      svg_.Polyline(points, {.color = ColorOf(i), .width = 1.5});
    }
    top_ += kCurveHeight;
    svg_.Text(kLeft, top_ + 16, DayText(report_.period.begin), {.size = 11});
    svg_.Text(kWidth - kRight, top_ + 16, DayText(report_.period.end),
              {.size = 11, .anchor = SvgAnchor::kEnd});
    top_ += 20;
  }

  // Bars for each name, as long as `value` says, with what `text` says behind them.
  template <typename Value, typename Text>
  void DrawBars(Groups groups, const std::vector<std::string>& names, double largest, Value value,
                Text text) {
    const double width = kWidth - kLeft - kRight - 120;
    for (const std::string& name : names) {
      const double middle = top_ + kBarHeight * static_cast<double>(report_.columns.size()) / 2;
      svg_.Text(kLeft - 8, middle + 4, name, {.anchor = SvgAnchor::kEnd});
      const laboratory::Group* any = nullptr;
      const double first = top_;
      for (size_t i = 0; i < report_.columns.size(); ++i, top_ += kBarHeight) {
        const laboratory::Group* group = Find(report_.columns[i], groups, name);
        if (group == nullptr) continue;
        any = group;
        const double length = largest > 0 ? width * value(*group) / largest : 0;
        const std::string label = text(*group);
        svg_.Rect({kLeft, top_, length, kBarHeight - 1}, ColorOf(i),
                  absl::StrCat(report_.columns[i].name, ", ", name, ": ", label));
        svg_.Text(kLeft + length + 5, top_ + 9, label, {.size = 10});
      }
      if (any != nullptr && groups == &laboratory::Measures::accounts && any->share.has_value()) {
        const double x = kLeft + (largest > 0 ? width * *any->share / largest : 0);
        svg_.Line({x, first - 2}, {x, top_ + 1}, {.color = kInk, .width = 2});
      }
      top_ += kGroupGap;
    }
    top_ += 24;
  }

  void DrawWaits() {
    Heading("Mean wait by size");
    double largest = 0;
    for (const Column& column : report_.columns) {
      for (const auto& group : column.measures.sizes) largest = std::max(largest, group.wait.mean);
    }
    DrawBars(
        &laboratory::Measures::sizes, sizes_, largest,
        [](const laboratory::Group& group) { return group.wait.mean; },
        [](const laboratory::Group& group) {
          return slurm::FormatTimeString(absl::Seconds(group.wait.mean));
        });
  }

  void DrawUsage() {
    Heading("Part of the CPU time used by account; the line is its share");
    double largest = 0;
    for (const Column& column : report_.columns) {
      for (const auto& group : column.measures.accounts) {
        largest = std::max({largest, group.usage, group.share.value_or(0)});
      }
    }
    DrawBars(
        &laboratory::Measures::accounts, accounts_, largest,
        [](const laboratory::Group& group) { return group.usage; },
        [](const laboratory::Group& group) {
          return absl::StrFormat("%.1f %%", 100 * group.usage);
        });
  }

  const Report& report_;
  const std::vector<std::string> sizes_;
  const std::vector<std::string> accounts_;
  Svg svg_;
  double top_ = 0;  // Of what is drawn next.
};

}  // namespace

std::string SvgText(const Report& report) { return Picture(report).Draw(); }

}  // namespace priorityd::replay
