#include "client/prioctl/forecast/time_limit_option.h"

#include "absl/strings/str_cat.h"
#include "client/prioctl/command/options.h"
#include "engine/slurm/words/time_string.h"

namespace priorityd::prioctl {

void AddTimeLimit(CLI::App* app, const std::string& help, std::optional<absl::Duration>& limit) {
  app->add_option_function<std::string>(
         "--time",
         [&limit](const std::string& text) {
           const auto parsed = slurm::ParseTimeString(text);
           if (parsed.ok() && *parsed > absl::ZeroDuration()) {
             limit = *parsed;
             return;
           }
           throw CLI::ValidationError(
               "--time", absl::StrCat("got \"", text, "\", want a time such as 30 or 2:00:00"));
         },
         help)
      ->type_name("TIME");
}

}  // namespace priorityd::prioctl
