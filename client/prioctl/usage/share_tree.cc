#include "client/prioctl/usage/share_tree.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace priorityd::prioctl {
namespace {

constexpr size_t kMostEnds = 40;
constexpr double kBoxWidth = 146, kBoxHeight = 64, kBoxGap = 8;
constexpr double kLine = 14;  // Of text in a box.
constexpr double kTextSize = 11;
constexpr double kThickest = 14;  // The line of all usage.
constexpr double kTreeMargin = 20;

// The places of boxes down to one level.
struct Layout {
  int last_depth = 0;
  bool is_whole = true;
  std::vector<double> column;  // By part: the middle, in boxes; -1 = left out.
  double columns = 0;
};

int DeepestOf(const std::vector<SharePart>& parts) {
  int deepest = 0;
  for (const SharePart& part : parts) deepest = std::max(deepest, part.depth);
  return deepest;
}

// The boxes without a box below them, down to a level.
size_t EndsAt(const std::vector<SharePart>& parts, int last_depth) {
  std::vector<bool> is_end(parts.size(), true);
  for (const SharePart& part : parts) {
    if (part.parent >= 0 && part.depth <= last_depth) is_end[part.parent] = false;
  }
  size_t ends = 0;
  for (size_t i = 0; i < parts.size(); ++i) ends += is_end[i] && parts[i].depth <= last_depth;
  return ends;
}

// Ends in their order; the others in the middle of what is below them.
Layout LayoutOf(const std::vector<SharePart>& parts) {
  Layout layout;
  const int deepest = DeepestOf(parts);
  layout.last_depth = deepest;
  while (layout.last_depth > 0 && EndsAt(parts, layout.last_depth) > kMostEnds) {
    --layout.last_depth;
  }
  layout.is_whole = layout.last_depth == deepest;
  std::vector<std::vector<size_t>> below(parts.size());
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].depth <= layout.last_depth) below[parts[i].parent].push_back(i);
  }
  layout.column.assign(parts.size(), -1);
  // A parent comes before what is below it, so ends are numbered by a walk in depth.
  std::vector<size_t> walk;
  if (!parts.empty()) walk.push_back(0);
  while (!walk.empty()) {
    const size_t part = walk.back();
    walk.pop_back();
    if (below[part].empty()) layout.column[part] = layout.columns++;
    walk.insert(walk.end(), below[part].rbegin(), below[part].rend());
  }
  for (size_t i = parts.size(); i-- > 0;) {
    if (below[i].empty()) continue;
    layout.column[i] = (layout.column[below[i].front()] + layout.column[below[i].back()]) / 2;
  }
  return layout;
}

class Tree {
 public:
  Tree(const std::vector<SharePart>& parts, const pictures::SvgBox& box, pictures::Svg* svg)
      : parts_(parts), layout_(LayoutOf(parts)), box_(box), svg_(*svg) {}

  void Draw() {
    for (size_t i = 1; i < parts_.size(); ++i) {
      if (IsDrawn(i)) DrawLine(i);
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (IsDrawn(i)) DrawBox(i);
    }
    if (layout_.is_whole) return;
    svg_.Text(box_.x, box_.y + box_.height + kTextSize,
              absl::StrCat("not drawn: associations below level ", layout_.last_depth),
              {.size = kTextSize});
  }

 private:
  bool IsDrawn(size_t part) const { return layout_.column[part] >= 0; }
  double Middle(size_t part) const {
    const double used = layout_.columns * (kBoxWidth + kBoxGap) - kBoxGap;
    const double left = box_.x + std::max(0.0, (box_.width - used) / 2);
    return left + layout_.column[part] * (kBoxWidth + kBoxGap) + kBoxWidth / 2;
  }
  double Top(size_t part) const {
    const int levels = layout_.last_depth;
    const double step = levels == 0 ? 0 : (box_.height - kBoxHeight) / levels;
    return box_.y + parts_[part].depth * step;
  }

  void DrawLine(size_t part) {
    const size_t parent = static_cast<size_t>(parts_[part].parent);
    const bool is_used = parts_[part].used > 0;
    svg_.Line({Middle(part), Top(part)}, {Middle(parent), Top(parent) + kBoxHeight},
              {.color = is_used ? "#57606a" : "#d0d7de",
               .width = std::max(1.0, kThickest * parts_[part].used)});
  }

  void DrawBox(size_t index) {
    const SharePart& part = parts_[index];
    const double x = Middle(index) - kBoxWidth / 2;
    svg_.Rect({x, Top(index), kBoxWidth, kBoxHeight}, ColourOf(part.standing),
              absl::StrCat(part.name(), ": used ", PercentText(part.used), " of all",
                           ServedText(part.standing)));
    const std::string lines[] = {part.name(), absl::StrFormat("NormShares %f", part.norm_shares),
                                 absl::StrFormat("EffectvUsage %f", part.effective),
                                 part.standing_text};
    double y = Top(index) + kLine;
    for (const std::string& line : lines) {
      svg_.Text(Middle(index), y, pictures::SvgCut(line, kBoxWidth - 6, kTextSize),
                {.size = kTextSize,
                 .anchor = pictures::SvgAnchor::kMiddle,
                 .bold = &line == &lines[0],
                 .fill = InkOf(part.standing)});
      y += kLine;
    }
  }

  const std::vector<SharePart>& parts_;
  const Layout layout_;
  const pictures::SvgBox box_;
  pictures::Svg& svg_;
};

}  // namespace

double ShareTreeWidth(const std::vector<SharePart>& parts) {
  return LayoutOf(parts).columns * (kBoxWidth + kBoxGap) - kBoxGap + 2 * kTreeMargin;
}

void DrawShareTree(const std::vector<SharePart>& parts, const pictures::SvgBox& box,
                   pictures::Svg* svg) {
  Tree(parts, box, svg).Draw();
}

}  // namespace priorityd::prioctl
