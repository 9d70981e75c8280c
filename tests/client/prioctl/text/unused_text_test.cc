#include "client/prioctl/text/unused_text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "absl/strings/str_cat.h"

namespace priorityd::prioctl {
namespace {

namespace v1 = ::priority::v1;

UnusedList Harmless(int count) {
  UnusedList unused;
  for (int i = 0; i < count; ++i) {
    v1::UnusedSetting* setting = unused.Add();
    setting->set_name(absl::StrCat("SlurmctldParameter", i));
    setting->set_value("x");
    setting->set_place("slurm.conf line 1");
    setting->set_effect("Nothing.");
    setting->set_places(1);
    setting->set_unused_class(v1::UNUSED_CLASS_NO_CONSEQUENCE);
  }
  return unused;
}

TEST(UnusedTextTest, NothingIsPrintedOfNothing) {
  std::ostringstream out;
  PrintUnused({}, out);
  PrintAllUnused({}, out);
  EXPECT_EQ(out.str(), "");
}

TEST(UnusedTextTest, NamesWithoutConsequenceAreWrappedAndNotCut) {
  std::ostringstream out;
  PrintUnused(Harmless(200), out);
  std::istringstream lines(out.str());
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "200 settings without consequence:");
  int rows = 0;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 100u);
    ++rows;
  }
  EXPECT_LE(rows, 60);
  EXPECT_NE(out.str().find(" SlurmctldParameter199\n"), std::string::npos);
}

TEST(UnusedTextTest, AllAreListedWithTheirEffects) {
  std::ostringstream out;
  PrintAllUnused(Harmless(1), out);
  EXPECT_EQ(out.str(),
            "1 setting without consequence:\n"
            "  SlurmctldParameter0=x (slurm.conf line 1): Nothing.\n");
}

}  // namespace
}  // namespace priorityd::prioctl
