// The picture files of --svg and --png.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_PICTURE_FILE_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_PICTURE_FILE_H_

#include <ostream>
#include <string>

#include "absl/status/status.h"

namespace priorityd::prioctl {

struct PictureOptions {
  std::string svg;  // A file; `-` = standard output; empty = none.
  std::string png;  // A file; made of the SVG by a converter of this machine. Empty = none.

  bool any() const { return !svg.empty() || !png.empty(); }
};

// OK, or INVALID_ARGUMENT: a PNG is wanted and no converter is installed. Says so before anything
// is asked.
absl::Status CheckPicture(const PictureOptions& options);

// Writes the files. FAILED_PRECONDITION names one that cannot be written, and what the converter
// said. Its input is a file of its own beside the PNG, which is removed.
absl::Status WritePicture(const PictureOptions& options, const std::string& svg, std::ostream& out);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_PICTURE_FILE_H_
