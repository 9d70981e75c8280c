#include "tests/end_to_end/shared_priorityd.h"

#include <gtest/gtest.h>

#include "tests/temporary_folder.h"

namespace priorityd {

const RealPriorityd& SharedPriorityd() {
  static const TemporaryFolder folder;
  static RealPriorityd priorityd({"--listen=127.0.0.1:0", "--data_dir=" + folder.path() + "/data"});
  static const bool listening = priorityd.AwaitListening();
  EXPECT_TRUE(listening);
  return priorityd;
}

}  // namespace priorityd
