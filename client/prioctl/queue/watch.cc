#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/prioctl/command/options.h"
#include "client/prioctl/input/json_lines.h"
#include "client/prioctl/queue/commands.h"
#include "client/prioctl/queue/watch_screen.h"
#include "client/prioctl/queue/watch_text.h"
#include "client/prioctl/text/console.h"
#include "client/prioctl/text/interrupt.h"
#include "client/prioctl/text/text.h"
#include "client/priority_client.h"
#include "client/ranking_watch.h"
#include "client/rpc_error.h"
#include "client/visible_text.h"

namespace priorityd::prioctl {
namespace {

// `prioctl watch`
struct WatchOptions {
  uint32_t limit = 0;  // 0 = as many as the screen shows, else 100
  std::vector<std::string> partitions;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
  bool best_only = false;
  bool explain = false;             // with a column for each factor
  bool ineligible = false;          // jobs that cannot start, too
  double interval_seconds = 0;      // between two answers, at least
  double age_interval_seconds = 0;  // 0 = never
  int64_t count = 0;                // answers; 0 = until interrupted
  bool json = false;
};

namespace v1 = ::priority::v1;

// As many rows as the terminal shows, of each table.
uint32_t RowsShown(const WatchOptions& options) {
  int lines = WatchScreen::Lines() - kFrameLinesAround;
  if (options.ineligible) lines = (lines - kIneligibleLinesAround) / 2;
  return static_cast<uint32_t>(std::max(1, lines));
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
    request.set_limit(RowsShown(options));
  }
  request.set_best_only(options.best_only);
  request.set_view(options.explain ? v1::RANK_VIEW_FULL : v1::RANK_VIEW_BASIC);
  request.set_ineligible(options.ineligible);
  request.mutable_partitions()->Add(options.partitions.begin(), options.partitions.end());
  request.mutable_accounts()->Add(options.accounts.begin(), options.accounts.end());
  request.mutable_users()->Add(options.users.begin(), options.users.end());
  if (options.age_interval_seconds > 0) {
    SetSeconds(options.age_interval_seconds, request.mutable_age_interval());
  }
  SetSeconds(options.interval_seconds, request.mutable_min_interval());
  return request;
}

// Shows the answers of one watch after another: a terminal that grew wants more rows.
class Watcher {
 public:
  Watcher(const WatchOptions& options, const client::PriorityClient& client, Console& console)
      : options_(options),
        client_(client),
        console_(console),
        on_screen_(console.out_is_terminal && !options.json) {}

  absl::Status Run() {
    WatchScreen screen(on_screen_, {[this] { Quit(); }, [this] { Redraw(); }});
    const OnInterrupt interrupt([this] { Quit(); });
    absl::Status status;
    do {
      status = WatchOnce(screen);
    } while (status.ok() && WantsMoreRows());
    return status;
  }

 private:
  absl::Status WatchOnce(WatchScreen& screen) ABSL_LOCKS_EXCLUDED(mutex_) {
    const v1::WatchRankingRequest request = MakeRequest(options_, on_screen_);
    client::RankingWatch watch(&client_, request);
    {
      absl::MutexLock lock(&mutex_);
      if (quits_) return absl::OkStatus();
      rows_ = request.limit();
      watch_ = &watch;
    }
    const absl::Status status = watch.Run(
        [&](const v1::WatchRankingResponse& answer, const client::WatchedTop& top) {
          if (answers_ == 0 && on_screen_) screen.Begin();
          return Show(answer, top);
        },
        [this](const absl::Status& why) { ShowLost(why); });
    absl::MutexLock lock(&mutex_);
    watch_ = nullptr;
    return status;
  }

  // False ends the watch.
  bool Show(const v1::WatchRankingResponse& answer, const client::WatchedTop& top)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (!on_screen_ && lost_) console_.err << "prioctl: the service answers again\n";
    lost_ = false;
    if (options_.json) {
      console_.out << ToJson(answer) << '\n';
    } else if (on_screen_) {
      answer_ = answer;
      top_ = top;
      Draw();
    } else {
      console_.out << JournalText(answer, top, options_.explain);
    }
    console_.out.flush();
    return ++answers_ != options_.count && console_.out.good();
  }

  void Draw() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    console_.out << FrameText(answer_, top_, options_.explain, WatchScreen::Lines());
  }

  void ShowLost(const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    lost_ = true;
    const std::string text =
        absl::StrCat("the service at ", client_.options().address, " is lost since ",
                     TimeText(ToTimestamp(absl::Now())),
                     ", trying again: ", client::WithVisibleControls(client::Describe(why)));
    if (on_screen_) {
      lost_text_ = text;
      console_.out << NoticeText(text) << std::flush;
    } else {
      console_.err << "prioctl: " << text << std::endl;
    }
  }

  void Redraw() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    if (options_.limit == 0 && RowsShown(options_) > rows_ && watch_ != nullptr) {
      wants_more_rows_ = true;
      watch_->Stop();
      return;
    }
    if (answers_ == 0) return;
    Draw();
    if (lost_) console_.out << NoticeText(lost_text_);
    console_.out.flush();
  }

  bool WantsMoreRows() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return std::exchange(wants_more_rows_, false) && !quits_;
  }

  void Quit() ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    quits_ = true;
    if (watch_ != nullptr) watch_->Stop();
  }

  const WatchOptions& options_;
  const client::PriorityClient& client_;
  Console& console_;
  const bool on_screen_;
  int64_t answers_ = 0;

  absl::Mutex mutex_;
  v1::WatchRankingResponse answer_ ABSL_GUARDED_BY(mutex_);
  client::WatchedTop top_ ABSL_GUARDED_BY(mutex_);
  uint32_t rows_ ABSL_GUARDED_BY(mutex_) = 0;
  bool lost_ ABSL_GUARDED_BY(mutex_) = false;
  std::string lost_text_ ABSL_GUARDED_BY(mutex_);
  bool wants_more_rows_ ABSL_GUARDED_BY(mutex_) = false;
  bool quits_ ABSL_GUARDED_BY(mutex_) = false;
  client::RankingWatch* watch_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

absl::Status Run(const WatchOptions& options, const client::PriorityClient& client,
                 Console& console) {
  return Watcher(options, client, console).Run();
}

void AddWatchOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<WatchOptions>(app, line, Run);
  app->add_option("--limit", options->limit,
                  "Only so many rows; default what the screen shows, otherwise 100")
      ->check(WholeNumber(1, 10000))
      ->type_name("N");
  AddList(app, "-p,--partition,--partitions", options->partitions, "Only rows of these partitions");
  AddList(app, "-A,--account,--accounts", options->accounts, "Only jobs charged to these accounts");
  AddList(app, "-u,--user,--users", options->users, "Only jobs of these users");
  app->add_flag("--best-only", options->best_only, "Only the first row of each job");
  app->add_flag("--explain", options->explain, "Add what each factor contributes");
  app->add_flag("--ineligible", options->ineligible,
                "Also the jobs that cannot start, each with the reason");
  app->add_option("--interval", options->interval_seconds,
                  "At least so many seconds between two answers; default 0: as soon as known")
      ->check(NumberBetween(0, 3600))
      ->type_name("SECONDS");
  app->add_option("--age-interval", options->age_interval_seconds,
                  "Rank again every so many seconds, as time alone changes ages; default never")
      ->check(NumberBetween(0.1, 1e9))
      ->type_name("SECONDS");
  app->add_option("--count", options->count, "End after so many answers")
      ->check(WholeNumber(1))
      ->type_name("N");
  app->add_flag("--json", options->json, "Print each answer as one line of JSON");
}

}  // namespace

const Command kWatchCommand = {
    "watch", "Show the top of the tracked queue and what changes, until interrupted",
    AddWatchOptions};

}  // namespace priorityd::prioctl
