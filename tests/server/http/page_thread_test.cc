#include "server/http/page_thread.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/synchronization/notification.h"

namespace priorityd::http {
namespace {

TEST(PageThreadTest, APageWaitsForOneOfEachOtherPeer) {
  absl::Notification go_on;
  std::string made;
  PageThread pages;
  pages.Post({"greedy"}, [&] {
    go_on.WaitForNotification();
    made += 'g';
  });
  for (int i = 0; i < 100; ++i) pages.Post({"greedy"}, [&] { made += 'g'; });
  pages.Post({"honest"}, [&] { made += 'h'; });
  go_on.Notify();
  pages.Join();
  // The first one may have begun before the others came.
  EXPECT_LE(made.find('h'), 2u);
  EXPECT_EQ(made.size(), 102u);
}

}  // namespace
}  // namespace priorityd::http
