#include "client/prioctl/watch.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "absl/time/time.h"
#include "client/prioctl/interrupt.h"
#include "client/prioctl/json_lines.h"
#include "client/prioctl/watch_text.h"
#include "client/ranking_watch.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = priority::v1;

constexpr int kUsualLines = 24;

int ScreenLines() {
  winsize size = {};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kUsualLines;
  return size.ws_row;
}

void SetSeconds(double seconds, google::protobuf::Duration* duration) {
  const absl::Duration whole = absl::Seconds(seconds);
  duration->set_seconds(absl::ToInt64Seconds(whole));
  duration->set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(whole - absl::Seconds(duration->seconds()))));
}

v1::WatchRankingRequest MakeRequest(const WatchOptions& options, bool on_screen) {
  v1::WatchRankingRequest request;
  request.set_limit(options.limit);
  if (options.limit == 0 && on_screen) {
    request.set_limit(std::max(1, ScreenLines() - kFrameLinesAround));
  }
  request.set_best_only(options.best_only);
  request.set_view(options.explain ? v1::RANK_VIEW_FULL : v1::RANK_VIEW_BASIC);
  request.mutable_partitions()->Add(options.partitions.begin(), options.partitions.end());
  request.mutable_accounts()->Add(options.accounts.begin(), options.accounts.end());
  request.mutable_users()->Add(options.users.begin(), options.users.end());
  if (options.age_interval_seconds > 0) {
    SetSeconds(options.age_interval_seconds, request.mutable_age_interval());
  }
  SetSeconds(options.interval_seconds, request.mutable_min_interval());
  return request;
}

}  // namespace

absl::Status Run(const WatchOptions& options, const client::PriorityClient& client,
                 Console& console) {
  const bool on_screen = console.out_is_terminal && !options.json;
  client::RankingWatch watch(&client, MakeRequest(options, on_screen));
  const OnInterrupt interrupt([&watch] { watch.Stop(); });
  int64_t answers = 0;
  absl::Status status =
      watch.Run([&](const v1::WatchRankingResponse& answer, const client::WatchedTop& top) {
        if (answers == 0 && on_screen) console.out << kBeginFrames;
        if (options.json) {
          console.out << ToJson(answer) << '\n';
        } else if (on_screen) {
          console.out << FrameText(answer, top, options.explain, ScreenLines());
        } else {
          console.out << JournalText(answer, top, options.explain);
        }
        console.out.flush();
        return ++answers != options.count && console.out.good();
      });
  if (answers > 0 && on_screen) console.out << kEndFrames;
  return status;
}

}  // namespace priorityd::prioctl
