// The words of a command, and of a line of its input.
#ifndef PRIORITYD_TESTS_SCENARIOS_ARGUMENTS_H_
#define PRIORITYD_TESTS_SCENARIOS_ARGUMENTS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace priorityd::scenarios {

// Plain words such as `7`, and `name=value`. Each is taken once. The first mistake
// is kept and returned by Finish, so that a reader takes all it knows and asks once.
class Arguments {
 public:
  explicit Arguments(absl::string_view text);

  // The first plain word that is left; without one, a mistake that says `want`.
  std::string Word(absl::string_view want);
  // The same; empty without one.
  std::string WordOrEmpty();
  // Whether this plain word is among them.
  bool Flag(absl::string_view word);

  bool Has(absl::string_view name) const;
  // Empty if it is not there.
  std::string Text(absl::string_view name);
  // Split at commas.
  std::vector<std::string> List(absl::string_view name);
  // `otherwise` if it is not there.
  double Number(absl::string_view name, double otherwise = 0);
  // ParseTime of scenario_time.h; `now` if it is not there.
  absl::Time Time(absl::string_view name, std::optional<absl::Time> now);
  // Zero if it is not there.
  absl::Duration Duration(absl::string_view name);
  // Those `name=value` that are left and whose name is a TRES other than billing.
  std::vector<std::pair<std::string, double>> Tres();

  // The first mistake; a word that nobody took is one.
  absl::Status Finish() const;

 private:
  struct Argument {
    std::string name;  // Empty for a plain word.
    std::string value;
    bool taken = false;
  };

  Argument* Find(absl::string_view name);
  double ToNumber(const Argument& argument);
  void Fail(absl::string_view name, absl::string_view got, absl::string_view want);

  std::vector<Argument> arguments_;
  absl::Status mistake_;
};

}  // namespace priorityd::scenarios

#endif  // PRIORITYD_TESTS_SCENARIOS_ARGUMENTS_H_
