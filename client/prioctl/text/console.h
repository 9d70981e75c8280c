// The streams that a command writes to, and the properties of the terminal.
#ifndef PRIORITYD_CLIENT_PRIOCTL_TEXT_CONSOLE_H_
#define PRIORITYD_CLIENT_PRIOCTL_TEXT_CONSOLE_H_

#include <ostream>

namespace priorityd::prioctl {

struct Console {
  // The stream for output that a program reads back, byte by byte: `out` shows hidden characters,
  // which only a terminal needs.
  std::ostream& exact() { return exact_out == nullptr ? out : *exact_out; }

  std::ostream& out;
  std::ostream& err;
  std::ostream* exact_out = nullptr;      // nullptr = as `out`
  bool in_is_terminal = false;            // a question can be answered there
  bool err_is_terminal = false;           // progress is shown there
  bool out_is_terminal = false;           // a live view is drawn there
  bool cluster_from_environment = false;  // the cluster was not typed
  int exit_code = 0;                      // of a command that did its work
};

}  // namespace priorityd::prioctl

#endif  // PRIORITYD_CLIENT_PRIOCTL_TEXT_CONSOLE_H_
