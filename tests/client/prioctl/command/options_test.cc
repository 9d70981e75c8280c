#include "client/prioctl/command/options.h"

#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "client/prioctl/text/console.h"
#include "client/priority_client.h"
#include "gtest/gtest.h"

namespace priorityd::prioctl {
namespace {

struct ShownOptions {
  std::string what = "nothing";
};

struct SharedOptions {
  bool all = false;
};

absl::Status Run(const ShownOptions& options, const client::PriorityClient& client,
                 Console& console) {
  return absl::NotFoundError(options.what);
}

absl::Status Run(const SharedOptions& options, const client::PriorityClient& client,
                 Console& console) {
  return absl::AlreadyExistsError(options.all ? "all" : "one");
}

void AddShownOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<ShownOptions>(app, line, Run, Retries::kUntilTimeout);
  app->add_option("WHAT", options->what);
}

constexpr Command kShown = {"show", "Show", AddShownOptions};

// A command that is a group, too.
void AddSharedOptions(CLI::App* app, CommandLine& line) {
  auto options = Adopt<SharedOptions>(app, line, Run);
  app->add_flag("--all", options->all);
  AddCommand(kShown, app, line);
}

constexpr Command kShared = {"share", "Share", AddSharedOptions};

// CLI11 takes the words from the last to the first.
CommandLine Parse(std::vector<std::string> reversed) {
  CommandLine line;
  CLI::App app;
  AddCommands({&kShared, 1}, &app, line);
  app.parse(std::move(reversed));
  return line;
}

std::string Outcome(const CommandLine& line) {
  const client::PriorityClient client({.address = "127.0.0.1:1"});
  Console console{.out = std::cout, .err = std::cerr};
  return line.run(client, console).ToString();
}

TEST(OptionsTest, ACommandRunsWithTheOptionsThatWereTyped) {
  EXPECT_EQ(Outcome(Parse({"share"})), "ALREADY_EXISTS: one");
  EXPECT_EQ(Outcome(Parse({"--all", "share"})), "ALREADY_EXISTS: all");
}

TEST(OptionsTest, TheCommandOfAGroupRunsAndNotTheGroup) {
  EXPECT_EQ(Outcome(Parse({"show", "share"})), "NOT_FOUND: nothing");
  EXPECT_EQ(Outcome(Parse({"this", "show", "share"})), "NOT_FOUND: this");
}

TEST(OptionsTest, OnlyTheCommandTypedSetsHowLongItRetries) {
  EXPECT_EQ(Parse({"share"}).retries, Retries::kFew);
  EXPECT_EQ(Parse({"show", "share"}).retries, Retries::kUntilTimeout);
}

TEST(OptionsTest, WithoutACommandNothingRuns) { EXPECT_FALSE(Parse({}).run); }

}  // namespace
}  // namespace priorityd::prioctl
