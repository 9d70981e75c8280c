#include "client/prioctl/command/wrapped_help.h"

#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace priorityd::prioctl {
namespace {

constexpr size_t kHelpColumns = 100;

// One line of a description, broken after at most `room` bytes.
std::string BrokenLine(absl::string_view line, size_t room) {
  std::string broken;
  size_t used = 0;
  for (const absl::string_view word : absl::StrSplit(line, ' ')) {
    const bool is_first = broken.empty();
    const bool fits = is_first || used + 1 + word.size() <= room;
    absl::StrAppend(&broken, is_first ? "" : fits ? " " : "\n", word);
    used = is_first || !fits ? word.size() : used + 1 + word.size();
  }
  return broken;
}

class WrappingFormatter : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return Broken(option->get_description());
  }

  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream out;
    CLI::detail::format_help(out, command->get_display_name(true),
                             Broken(command->get_description()), column_width_);
    return out.str();
  }

 private:
  std::string Broken(const std::string& description) const {
    std::string broken;
    const char* between = "";
    for (const absl::string_view line : absl::StrSplit(description, '\n')) {
      absl::StrAppend(&broken, between, BrokenLine(line, kHelpColumns - column_width_));
      between = "\n";
    }
    return broken;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> WrappedHelp() { return std::make_shared<WrappingFormatter>(); }

}  // namespace priorityd::prioctl
