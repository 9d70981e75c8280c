#include "client/prioctl/replay/svg.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace priorityd::replay {
namespace {

constexpr int kSteps = 4;  // About.

std::string Number(double value) { return absl::StrFormat("%.1f", value); }

const char* AnchorName(Anchor anchor) {
  switch (anchor) {
    case Anchor::kStart:
      return "start";
    case Anchor::kMiddle:
      return "middle";
    case Anchor::kEnd:
      return "end";
  }
  return "start";
}

}  // namespace

std::string Escaped(absl::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return escaped;
}

Scale ScaleTo(double largest) {
  if (!(largest > 0)) largest = 1;
  const double power = std::pow(10, std::floor(std::log10(largest / kSteps)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0}) {
    if (step * kSteps < largest) step = power * factor;
  }
  Scale scale;
  const int steps = static_cast<int>(std::ceil(largest / step - 1e-9));
  for (int i = 0; i <= steps; ++i) scale.steps.push_back(i * step);
  scale.top = scale.steps.back();
  return scale;
}

Svg::Svg(double width, double height, absl::string_view title) {
  text_ =
      absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", Number(width), " ",
                   Number(height), "\" width=\"", Number(width), "\" height=\"", Number(height),
                   "\" font-family=\"sans-serif\" role=\"img\">\n<title>", Escaped(title),
                   "</title>\n", "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
}

void Svg::Text(Point at, absl::string_view text, Anchor anchor, double size,
               absl::string_view color) {
  absl::StrAppend(&text_, "<text x=\"", Number(at.x), "\" y=\"", Number(at.y), "\" font-size=\"",
                  Number(size), "\" text-anchor=\"", AnchorName(anchor), "\" fill=\"", color, "\">",
                  Escaped(text), "</text>\n");
}

void Svg::Line(Point from, Point to, absl::string_view color, double width, bool dashed) {
  absl::StrAppend(&text_, "<line x1=\"", Number(from.x), "\" y1=\"", Number(from.y), "\" x2=\"",
                  Number(to.x), "\" y2=\"", Number(to.y), "\" stroke=\"", color,
                  "\" stroke-width=\"", Number(width), "\"",
                  dashed ? " stroke-dasharray=\"5 4\"" : "", "/>\n");
}

void Svg::Path(const std::vector<Point>& points, absl::string_view color) {
  absl::StrAppend(&text_, "<polyline fill=\"none\" stroke=\"", color,
                  "\" stroke-width=\"1.5\" points=\"");
  for (const Point& point : points) {
    absl::StrAppend(&text_, Number(point.x), ",", Number(point.y), " ");
  }
  absl::StrAppend(&text_, "\"/>\n");
}

void Svg::Bar(const Box& box, absl::string_view color, absl::string_view hint) {
  absl::StrAppend(&text_, "<rect x=\"", Number(box.left), "\" y=\"", Number(box.top), "\" width=\"",
                  Number(box.width), "\" height=\"", Number(box.height), "\" fill=\"", color,
                  "\"><title>", Escaped(hint), "</title></rect>\n");
}

std::string Svg::Finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

}  // namespace priorityd::replay
