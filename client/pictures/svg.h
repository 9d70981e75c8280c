// Pictures as SVG 1.1: one file without scripts, fonts or external references.
#ifndef PRIORITYD_CLIENT_PICTURES_SVG_H_
#define PRIORITYD_CLIENT_PICTURES_SVG_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::pictures {

// Escapes the content of an element or an attribute. Characters that XML excludes become U+FFFD.
std::string XmlEscaped(absl::string_view text);

struct SvgBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

struct SvgPoint {
  double x = 0;
  double y = 0;
};

struct SvgStroke {
  absl::string_view color;
  double width = 1;
  bool dashed = false;
};

// A part of a ring. `from` and `to` are parts of the circle, from the top clockwise, 0 to 1.
struct SvgSector {
  SvgPoint center;
  double inner = 0;  // Radius; 0 for a part of a disc.
  double outer = 0;
  double from = 0;
  double to = 1;
};

enum class SvgAnchor { kStart, kMiddle, kEnd };

struct SvgTextStyle {
  double size = 12;
  SvgAnchor anchor = SvgAnchor::kStart;
  bool bold = false;
  absl::string_view fill = "#1b1f24";
};

// Lengths are pixels, y grows downwards. Later shapes cover earlier ones.
class Svg {
 public:
  // On white; `title` is the text of the whole picture for screen readers.
  Svg(double width, double height, absl::string_view title);

  // `about` is its text for the mouse pointer and screen readers. Empty = none.
  void Rect(const SvgBox& box, absl::string_view fill, absl::string_view about = "");
  void Sector(const SvgSector& sector, absl::string_view fill, absl::string_view about = "");
  // At the base line.
  void Text(double x, double y, absl::string_view text, const SvgTextStyle& style = {});
  void Line(SvgPoint from, SvgPoint to, const SvgStroke& stroke);
  void Polyline(const std::vector<SvgPoint>& points, const SvgStroke& stroke);

  // The file.
  std::string Finish() &&;

 private:
  // Closes an element whose attributes have been written.
  void Close(absl::string_view element, absl::string_view about);

  std::string text_;
};

// A scale from 0 to at least `largest`, with a few round steps.
struct Scale {
  double top = 1;
  std::vector<double> steps;
};
Scale ScaleTo(double largest);

// The approximate number of characters of this size that fit.
size_t SvgRoom(double width, double size);
// The text truncated to fit, with `…` for the omitted part; empty if none fits.
std::string SvgCut(absl::string_view text, double width, double size);

}  // namespace priorityd::pictures

#endif  // PRIORITYD_CLIENT_PICTURES_SVG_H_
