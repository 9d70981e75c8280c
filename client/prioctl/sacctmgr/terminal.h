// The terminal of sacctmgr's commands: their output and questions.
#ifndef PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_TERMINAL_H_
#define PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_TERMINAL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/prioctl/sacctmgr/fields.h"
#include "client/prioctl/sacctmgr/row.h"
#include "google/protobuf/message.h"

namespace priorityd::sacctmgr {

class Terminal {
 public:
  virtual ~Terminal() = default;

  // As it is, line breaks included.
  virtual void Print(const std::string& text) = 0;
  // REQUIRES: one cell per field in each row.
  virtual void PrintTable(const std::vector<Field>& fields, const std::vector<Cells>& rows) = 0;
  // As one line of proto JSON.
  virtual void PrintJson(const google::protobuf::Message& message) = 0;
  // Whether the user confirms; FAILED_PRECONDITION if there is no user at a keyboard.
  virtual absl::StatusOr<bool> Confirm(const std::string& question) = 0;
  virtual void PrintVersion() = 0;
  // Of a command that succeeded, but had nothing to do.
  virtual void SetExitCode(int code) = 0;
};

// The behaviour of commands.
struct Settings {
  bool immediate = false;     // Changes without a question.
  bool json = false;          // Messages instead of tables.
  bool read_only = false;     // Changes nothing.
  bool associations = false;  // show as with the word withassoc.
  std::string cluster;        // Typed as an option: a command that names another one is refused.
};

}  // namespace priorityd::sacctmgr

#endif  // PRIORITYD_CLIENT_PRIOCTL_SACCTMGR_TERMINAL_H_
