#include "client/prioctl/usage/share_pie.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace priorityd::prioctl {
namespace {

constexpr double kThinnest = 0.001;  // Of the circle.
constexpr double kPieLabel = 11;     // The size of names.
constexpr double kNamedLength = 16;  // Pixels along the ring that a name needs.

class Pie {
 public:
  Pie(const std::vector<SharePart>& parts, const ShareSide& side, const pictures::SvgBox& box,
      pictures::Svg* svg)
      : parts_(parts),
        side_(side),
        center_{box.x + box.width / 2, box.y + box.height / 2},
        svg_(*svg) {
    int levels = 1;
    for (const SharePart& part : parts_) levels = std::max(levels, part.depth + 1);
    ring_ = std::min(box.width, box.height) / 2 / levels;
  }

  void Draw() {
    const double whole = parts_.empty() ? 0 : parts_[0].*side_.length;
    if (whole <= 0) return;
    std::vector<double> next(parts_.size(), 0);  // Where the next child of a part begins.
    for (size_t i = 0; i < parts_.size(); ++i) {
      const SharePart& part = parts_[i];
      const double length = part.*side_.length / whole;
      if (part.parent >= 0) {
        next[i] = next[part.parent];
        next[part.parent] += length;
      }
      if (length >= kThinnest) DrawPart(part, next[i], length);
    }
  }

 private:
  void DrawPart(const SharePart& part, double from, double length) {
    const double service = ServiceOf(part);
    const double inner = part.depth * ring_;
    svg_.Sector({center_, inner, inner + ring_, from, from + length}, ColourOf(service),
                AboutText(part));
    const double radius = inner + ring_ / 2;
    const double angle = 2 * M_PI * (from + length / 2);
    const bool is_disc = part.depth == 0;
    if (!is_disc && 2 * M_PI * radius * length < kNamedLength) return;
    const std::string name =
        pictures::SvgCut(absl::StrCat(part.name(), " ", PercentText(part.*side_.figure)),
                         is_disc ? 2 * ring_ - 8 : ring_ - 4, kPieLabel);
    const double distance = is_disc ? 0 : radius;
    svg_.Text(center_.x + distance * std::sin(angle),
              center_.y - distance * std::cos(angle) + kPieLabel / 3, name,
              {.size = kPieLabel, .anchor = pictures::SvgAnchor::kMiddle, .fill = InkOf(service)});
  }

  const std::vector<SharePart>& parts_;
  const ShareSide side_;
  const pictures::SvgPoint center_;
  pictures::Svg& svg_;
  double ring_ = 0;  // The width of a ring.
};

}  // namespace

void DrawSharePie(const std::vector<SharePart>& parts, const ShareSide& side,
                  const pictures::SvgBox& box, pictures::Svg* svg) {
  Pie(parts, side, box, svg).Draw();
}

}  // namespace priorityd::prioctl
