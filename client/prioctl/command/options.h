// The options that several commands of prioctl have.
#ifndef PRIORITYD_CLIENT_PRIOCTL_COMMAND_OPTIONS_H_
#define PRIORITYD_CLIENT_PRIOCTL_COMMAND_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "CLI/CLI.hpp"
#include "client/prioctl/command/command.h"
#include "client/prioctl/text/picture_file.h"
#include "client/prioctl/text/slurm_table.h"

namespace priorityd::prioctl {

// A time given by an option; unset = the service's default.
using AsOf = std::optional<absl::Time>;

template <typename Options>
using Runner = std::type_identity_t<absl::Status (*)(
    const Options& options, const client::PriorityClient& client, Console& console)>;

template <typename Options>
Task Bind(std::shared_ptr<const Options> options, Runner<Options> run) {
  return [options, run](const client::PriorityClient& client, Console& console) {
    return run(*options, client, console);
  };
}

// Throws CLI::ExtrasError for an option or argument of `app` that was typed: it has no effect on
// the command of the group `app` that was typed as well.
void RefuseOwnOptions(const CLI::App& app);

// Makes `run`, with the options returned, the task of the command line once `app` is typed, unless
// a command of the group `app` follows, with which `app` takes no options. They live as long as
// `app`.
template <typename Options>
std::shared_ptr<Options> Adopt(CLI::App* app, CommandLine& line, Runner<Options> run,
                               Retries retries = Retries::kFew) {
  auto options = std::make_shared<Options>();
  app->callback([=, &line] {
    if (!app->get_subcommands().empty()) return RefuseOwnOptions(*app);
    line.run = Bind<Options>(options, run);
    line.retries = retries;
  });
  return options;
}

// A number that is not below 0.
CLI::Validator NotNegative();

// A whole number from `least` on, to `most` if that is given.
CLI::Validator WholeNumber(int64_t least, int64_t most = std::numeric_limits<int64_t>::max());

// A number of the range, both ends included.
CLI::Validator NumberBetween(double least, double most);

// One of the words, in whatever case; CLI11 then reads the word's number, such as an enum's.
CLI::Validator OneOf(const std::map<std::string, int>& words);

// An error of CLI11's as prioctl says errors: of a text that is no number `Could not convert:
// --limit = x`; any other stays.
std::string WithoutCli11sWords(const std::string& what);

// Each of these adds one option to `app`, which sets its variable; that must live
// as long as `app`.

// FILE, a queue of jobs; may be left out.
void AddQueueFile(CLI::App* app, std::string& file);

// FILE, with the text of a policy; required.
void AddPolicyFile(CLI::App* app, std::string& file);

// --include-from DIR
void AddIncludeFrom(CLI::App* app, std::string& folder);

// --nodes FILE; returned, as some commands require it.
CLI::Option* AddNodes(CLI::App* app, std::string& file);

// The cluster that the command is about; `name` is that of the argument. Another one in --cluster
// is refused.
CLI::Option* AddClusterName(CLI::App* app, CommandLine& line, const std::string& name,
                            std::string& cluster, const std::string& what);

void AddJson(CLI::App* app, bool& json);

// --svg and --png.
void AddPicture(CLI::App* app, PictureOptions& picture);

// -p and -P.
void AddLayout(CLI::App* app, SlurmLayout& layout);

// --yes, for what Ask asks.
void AddYes(CLI::App* app, bool& yes);

void AddValidateOnly(CLI::App* app, bool& validate_only);
void AddStrict(CLI::App* app, bool& strict);

// --accept WORD, repeatable: the request's `accept`.
void AddAccept(CLI::App* app, std::vector<std::string>& words);
// --expected-version of commands that change a policy.
void AddExpectedVersion(CLI::App* app, int64_t& version);

// Names divided by commas.
void AddList(CLI::App* app, const std::string& name, std::vector<std::string>& list,
             const std::string& what);

// A time, as ParseReportTime takes it; of this machine's time zone.
void AddTime(CLI::App* app, const std::string& name, AsOf& time, const std::string& what);
// Of two such options. An error if the end is not after the start; no error if one is not given.
absl::Status CheckPeriod(const std::string& start_name, const AsOf& start,
                         const std::string& end_name, const AsOf& end);
void AddAsOf(CLI::App* app, AsOf& as_of, const std::string& what);

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_COMMAND_OPTIONS_H_
