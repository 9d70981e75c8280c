#include "client/pictures/svg.h"

#include <utf8proc.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::pictures {
namespace {

// The ratio of a character's width to its height in common fonts.
constexpr double kCharacterWidth = 0.58;
constexpr double kMostOfCircle = 0.99999;
constexpr int kSteps = 4;  // Approximate steps of a scale.
constexpr char kEllipsis[] = "\xe2\x80\xa6";
constexpr char kReplacement[] = "\xef\xbf\xbd";

// At most two decimals, as `12.5`.
std::string Number(double value) { return absl::StrCat(std::round(value * 100) / 100); }

const char* AnchorName(SvgAnchor anchor) {
  return anchor == SvgAnchor::kMiddle ? "middle" : anchor == SvgAnchor::kEnd ? "end" : "start";
}

bool IsContinuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// Char of XML 1.0.
bool IsXmlCharacter(uint32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code < 0xd800 || (code >= 0xe000 && code < 0xfffe) || (code >= 0x10000 && code < 0x110000);
}

// The length in UTF-8 of the first character; 0 if the text does not begin with one of XML's.
size_t CharacterLength(absl::string_view text) {
  utf8proc_int32_t code = 0;
  const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                       static_cast<utf8proc_ssize_t>(text.size()), &code);
  return length > 0 && IsXmlCharacter(static_cast<uint32_t>(code)) ? static_cast<size_t>(length)
                                                                   : 0;
}

std::string StrokeText(const SvgStroke& stroke) {
  return absl::StrCat("stroke=\"", XmlEscaped(stroke.color), "\" stroke-width=\"",
                      Number(stroke.width), "\"", stroke.dashed ? " stroke-dasharray=\"5 4\"" : "");
}

}  // namespace

std::string XmlEscaped(absl::string_view text) {
  std::string escaped;
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    const char c = text[0];
    if (length == 0) {
      escaped += kReplacement;
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '&') {
      escaped += "&amp;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      absl::StrAppend(&escaped, text.substr(0, length));
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return escaped;
}

Svg::Svg(double width, double height, absl::string_view title) {
  text_ = absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"",
      Number(width), "\" height=\"", Number(height), "\" viewBox=\"0 0 ", Number(width), " ",
      Number(height), "\" role=\"img\" font-family=\"system-ui, sans-serif\">\n<title>",
      XmlEscaped(title), "</title>\n");
  Rect({0, 0, width, height}, "#ffffff");
}

void Svg::Rect(const SvgBox& box, absl::string_view fill, absl::string_view about) {
  absl::StrAppend(&text_, "<rect x=\"", Number(box.x), "\" y=\"", Number(box.y), "\" width=\"",
                  Number(box.width), "\" height=\"", Number(box.height), "\" fill=\"",
                  XmlEscaped(fill), "\"");
  Close("rect", about);
}

void Svg::Close(absl::string_view element, absl::string_view about) {
  if (about.empty()) {
    absl::StrAppend(&text_, "/>\n");
  } else {
    absl::StrAppend(&text_, "><title>", XmlEscaped(about), "</title></", element, ">\n");
  }
}

void Svg::Sector(const SvgSector& sector, absl::string_view fill, absl::string_view about) {
  // An arc cannot be a whole circle.
  const double part = std::min(sector.to - sector.from, kMostOfCircle);
  const double to = sector.from + part;
  const auto point = [&sector](double radius, double at) {
    const double angle = 2 * M_PI * at;
    return absl::StrCat(Number(sector.center.x + radius * std::sin(angle)), " ",
                        Number(sector.center.y - radius * std::cos(angle)));
  };
  const auto arc = [&](double radius, double at, int clockwise) {
    return absl::StrCat(" A ", Number(radius), " ", Number(radius), " 0 ", part > 0.5 ? 1 : 0, " ",
                        clockwise, " ", point(radius, at));
  };
  absl::StrAppend(&text_, "<path d=\"M ", point(sector.outer, sector.from),
                  arc(sector.outer, to, 1), " L ", point(sector.inner, to),
                  sector.inner > 0 ? arc(sector.inner, sector.from, 0) : "", " Z\" fill=\"",
                  XmlEscaped(fill), "\" stroke=\"#ffffff\"");
  Close("path", about);
}

void Svg::Text(double x, double y, absl::string_view text, const SvgTextStyle& style) {
  absl::StrAppend(&text_, "<text x=\"", Number(x), "\" y=\"", Number(y), "\" font-size=\"",
                  Number(style.size), "\" text-anchor=\"", AnchorName(style.anchor), "\" fill=\"",
                  XmlEscaped(style.fill), "\"", style.bold ? " font-weight=\"600\"" : "", ">",
                  XmlEscaped(text), "</text>\n");
}

void Svg::Line(SvgPoint from, SvgPoint to, const SvgStroke& stroke) {
  absl::StrAppend(&text_, "<line x1=\"", Number(from.x), "\" y1=\"", Number(from.y), "\" x2=\"",
                  Number(to.x), "\" y2=\"", Number(to.y), "\" ", StrokeText(stroke), "/>\n");
}

void Svg::Polyline(const std::vector<SvgPoint>& points, const SvgStroke& stroke) {
  absl::StrAppend(&text_, "<polyline fill=\"none\" ", StrokeText(stroke), " points=\"");
  for (const SvgPoint& point : points) {
    absl::StrAppend(&text_, Number(point.x), ",", Number(point.y), " ");
  }
  absl::StrAppend(&text_, "\"/>\n");
}

std::string Svg::Finish() && { return std::move(text_) + "</svg>\n"; }

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

size_t SvgRoom(double width, double size) {
  return static_cast<size_t>(std::max(0.0, width / (size * kCharacterWidth)));
}

std::string SvgCut(absl::string_view text, double width, double size) {
  const size_t room = SvgRoom(width, size);
  std::vector<size_t> begins;  // The begin of each character.
  for (size_t i = 0; i < text.size(); ++i) {
    if (!IsContinuation(text[i])) begins.push_back(i);
  }
  if (begins.size() <= room) return std::string(text);
  if (room < 2) return "";
  return absl::StrCat(text.substr(0, begins[room - 1]), kEllipsis);
}

}  // namespace priorityd::pictures
