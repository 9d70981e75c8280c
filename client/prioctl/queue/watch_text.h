// The answers to `prioctl watch`, as text for people.
#ifndef PRIORITYD_CLIENT_PRIOCTL_QUEUE_WATCH_TEXT_H_
#define PRIORITYD_CLIENT_PRIOCTL_QUEUE_WATCH_TEXT_H_

#include <string>

#include "client/ranking_watch.h"
#include "priority/v1/watch.pb.h"

namespace priorityd::prioctl {

// For a file or a pipe: the whole top as a table, or a line for each row that entered,
// left, moved, or is not what it was, and for each job that cannot start, or may again.
std::string JournalText(const ::priority::v1::WatchRankingResponse& answer,
                        const client::WatchedTop& top, bool explain);

// For a terminal: the whole top, drawn over what was there before, with what is new
// about each row; what does not fit into `lines` is left out.
std::string FrameText(const ::priority::v1::WatchRankingResponse& answer,
                      const client::WatchedTop& top, bool explain, int lines);

// For a terminal: one line over the first of the last frame.
std::string NoticeText(const std::string& notice);

// Lines of a frame that are not rows.
inline constexpr int kFrameLinesAround = 5;
inline constexpr int kIneligibleLinesAround = 3;  // Of the second table.

// Before the first frame and after the last one: leaves what stood on the terminal as
// it was.
inline constexpr char kBeginFrames[] = "\x1b[?1049h\x1b[?25l\x1b[?7l";
inline constexpr char kEndFrames[] = "\x1b[?7h\x1b[?25h\x1b[?1049l";

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_QUEUE_WATCH_TEXT_H_
