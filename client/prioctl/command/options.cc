#include "client/prioctl/command/options.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "client/prioctl/text/option_error.h"
#include "client/slurm/tables/report_time.h"

namespace priorityd::prioctl {

void RefuseOwnOptions(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0) continue;
    throw CLI::ExtrasError(
        {option->get_positional() ? option->results().front() : option->get_name()});
  }
}

// A number that is not below 0.
CLI::Validator NotNegative() {
  return CLI::Validator(
      [](std::string& text) {
        double value = 0;
        const bool good = absl::SimpleAtod(text, &value) && std::isfinite(value) && value >= 0;
        return good ? "" : absl::StrCat("got \"", text, "\", want a number of at least 0");
      },
      "", "");
}

CLI::Validator WholeNumber(int64_t least, int64_t most) {
  const bool is_bounded = most < std::numeric_limits<int64_t>::max();
  const std::string wanted =
      is_bounded ? absl::StrCat("from ", least, " to ", most) : absl::StrCat("of at least ", least);
  return CLI::Validator(
      [=](std::string& text) {
        int64_t value = 0;
        const bool good = absl::SimpleAtoi(text, &value) && value >= least && value <= most;
        return good ? "" : absl::StrCat("got \"", text, "\", want a whole number ", wanted);
      },
      is_bounded ? absl::StrCat(least, " to ", most) : "", "");
}

CLI::Validator NumberBetween(double least, double most) {
  const std::string range = absl::StrFormat("%.12g to %.12g", least, most);
  return CLI::Validator(
      [=](std::string& text) {
        double value = 0;
        const bool good = absl::SimpleAtod(text, &value) && value >= least && value <= most;
        return good ? "" : absl::StrCat("got \"", text, "\", want a number from ", range);
      },
      range, "");
}

CLI::Validator OneOf(const std::map<std::string, int>& words) {
  const std::string wanted = absl::StrJoin(
      words, " or ", [](std::string* out, const auto& word) { absl::StrAppend(out, word.first); });
  return CLI::Validator(
      [words, wanted](std::string& text) {
        const auto word = words.find(absl::AsciiStrToLower(text));
        if (word == words.end()) return absl::StrCat("got \"", text, "\", want ", wanted);
        text = absl::StrCat(word->second);
        return std::string();
      },
      "", "");
}

std::string WithoutCli11sWords(const std::string& what) {
  absl::string_view text = what;
  if (!absl::ConsumePrefix(&text, "Could not convert: ")) return what;
  const size_t equals = text.find(" = ");
  if (equals == text.npos) return what;
  return absl::StrCat(text.substr(0, equals), ": got \"", text.substr(equals + 3),
                      "\", want a number from 0 on");
}

void AddQueueFile(CLI::App* app, std::string& file) {
  app->add_option("FILE", file,
                  "Jobs as JSON Lines; - is standard input; default the tracked queue")
      ->type_name("");
}

void AddPolicyFile(CLI::App* app, std::string& file) {
  app->add_option("FILE", file,
                  "Lines of slurm.conf; - is standard input; Includes are read beside it")
      ->required()
      ->type_name("");
}

void AddIncludeFrom(CLI::App* app, std::string& folder) {
  app->add_option(
         "--include-from,--include_from", folder,
         "Includes may also be in this folder and those below; default only in the file's own")
      ->type_name("DIR");
}

CLI::Option* AddNodes(CLI::App* app, std::string& file) {
  return app
      ->add_option(
          "--nodes", file,
          "The nodes: slurm.conf, or a ClusterDescription of the API as JSON; default those of the "
          "policy")
      ->envname("PRIORITYD_NODES")
      ->type_name("FILE");
}

CLI::Option* AddClusterName(CLI::App* app, CommandLine& line, const std::string& name,
                            std::string& cluster, const std::string& what) {
  return app
      ->add_option_function<std::string>(
          name, [&](const std::string& text) { line.named_cluster = cluster = text; }, what)
      ->type_name("");
}

void AddJson(CLI::App* app, bool& json) {
  app->add_flag("--json", json, "Print the answer as one JSON document");
}

void AddPicture(CLI::App* app, PictureOptions& picture) {
  app->add_option("--svg", picture.svg, "Draw a picture into this file; - is standard output")
      ->type_name("FILE");
  app->add_option("--png", picture.png, "The same as PNG; needs rsvg-convert or inkscape")
      ->type_name("FILE");
}

void AddLayout(CLI::App* app, SlurmLayout& layout) {
  app->add_flag_callback(
      "-p,--parsable", [&layout] { layout = SlurmLayout::kParsable; }, "`|` after every field");
  app->add_flag_callback(
      "-P,--parsable2", [&layout] { layout = SlurmLayout::kParsable2; }, "`|` between fields");
}

void AddYes(CLI::App* app, bool& yes) {
  app->add_flag("-y,--yes", yes, "Do not ask before changes that cannot be undone");
}

void AddExpectedVersion(CLI::App* app, int64_t& version) {
  app->add_option("--expected-version,--expected_version", version,
                  "Only if this is still the newest version (see policy versions); 0 = none yet")
      ->check(NotNegative())
      ->type_name("N");
}

void AddValidateOnly(CLI::App* app, bool& validate_only) {
  app->add_flag("--validate-only", validate_only, "Check everything, change nothing");
}

void AddStrict(CLI::App* app, bool& strict) {
  app->add_flag("--strict", strict, "Refuse a file of which something would be lost");
}

void AddAccept(CLI::App* app, std::vector<std::string>& words) {
  app->add_option(
         "--accept", words,
         "Accept that this setting, which changes numbers in Slurm, does not here; * = all")
      ->allow_extra_args(false)
      ->type_name("WORD");
}

void AddList(CLI::App* app, const std::string& name, std::vector<std::string>& list,
             const std::string& what) {
  app->add_option(name, list, what)->delimiter(',')->allow_extra_args(false)->type_name("LIST");
}

void AddTime(CLI::App* app, const std::string& name, AsOf& time, const std::string& what) {
  const auto parse = [name, &time](const std::string& text) {
    const absl::StatusOr<absl::Time> parsed =
        tables::ParseReportTime(text, absl::Now(), absl::LocalTimeZone());
    if (!parsed.ok()) throw CLI::ValidationError(name, std::string(parsed.status().message()));
    time = *parsed;
  };
  app->add_option_function<std::string>(name, parse, what)->type_name("TIME");
}

absl::Status CheckPeriod(const std::string& start_name, const AsOf& start,
                         const std::string& end_name, const AsOf& end) {
  if (!start.has_value() || !end.has_value() || *start < *end) return absl::OkStatus();
  return OptionError(
      absl::StrCat(end_name, ": got a time not after ", start_name, ", want a later one"));
}

void AddAsOf(CLI::App* app, AsOf& as_of, const std::string& what) {
  AddTime(app, "--as-of", as_of, what);
}

}  // namespace priorityd::prioctl
