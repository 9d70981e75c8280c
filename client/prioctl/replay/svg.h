// Pictures without any library: lines, bars and words as SVG.
#ifndef PRIORITYD_CLIENT_PRIOCTL_REPLAY_SVG_H_
#define PRIORITYD_CLIENT_PRIOCTL_REPLAY_SVG_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace priorityd::replay {

// In pixels from the left and the top.
struct Point {
  double x = 0;
  double y = 0;
};

struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

enum class Anchor { kStart, kMiddle, kEnd };

// An SVG document on white, which needs nothing beside it. Every text is escaped.
class Svg {
 public:
  // What the whole shows, for those who do not see it.
  Svg(double width, double height, absl::string_view title);

  void Text(Point at, absl::string_view text, Anchor anchor = Anchor::kStart, double size = 12,
            absl::string_view color = "#222222");
  void Line(Point from, Point to, absl::string_view color, double width = 1, bool dashed = false);
  void Path(const std::vector<Point>& points, absl::string_view color);
  // `hint` is shown when a pointer rests on it.
  void Bar(const Box& box, absl::string_view color, absl::string_view hint);

  std::string Finish() &&;

 private:
  std::string text_;
};

// A scale from 0 up to `largest` with a few round steps.
struct Scale {
  double top = 1;
  std::vector<double> steps;
};
Scale ScaleTo(double largest);

// `text` with the characters that mean something in XML escaped, others that it may not have as
// `?`.
std::string Escaped(absl::string_view text);

}  // namespace priorityd::replay

#endif  // PRIORITYD_CLIENT_PRIOCTL_REPLAY_SVG_H_
