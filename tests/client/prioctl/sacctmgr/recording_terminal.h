// What sacctmgr's commands print, kept for a test.
#ifndef PRIORITYD_TESTS_CLIENT_PRIOCTL_SACCTMGR_RECORDING_TERMINAL_H_
#define PRIORITYD_TESTS_CLIENT_PRIOCTL_SACCTMGR_RECORDING_TERMINAL_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/prioctl/sacctmgr/session.h"
#include "client/prioctl/sacctmgr/terminal.h"
#include "client/priority_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/sacctmgr/scripted_admin.h"

namespace priorityd {

class RecordingTerminal final : public sacctmgr::Terminal {
 public:
  void Print(const std::string& text) override { absl::StrAppend(&out, text); }
  void PrintTable(const std::vector<sacctmgr::Field>&,
                  const std::vector<sacctmgr::Cells>& rows) override {
    absl::StrAppend(&out, rows.size(), " rows\n");
  }
  void PrintJson(const google::protobuf::Message& message) override {
    absl::StrAppend(&out, message.GetTypeName(), "\n");
  }
  void PrintVersion() override { absl::StrAppend(&out, "version\n"); }
  absl::StatusOr<bool> Confirm(const std::string& question) override {
    questions.push_back(question);
    return answer;
  }
  void SetExitCode(int code) override { exit_code = code; }

  std::string out;
  std::vector<std::string> questions;
  absl::StatusOr<bool> answer = true;
  int exit_code = 0;
};

// Commands carried out in the test, against a service that the test scripts.
class CommandTest : public ::testing::Test {
 protected:
  absl::Status Execute(const std::vector<std::string>& words) {
    bool quit = false;
    terminal_.out.clear();
    return sacctmgr::Execute(words, client_, settings_, terminal_, &quit);
  }
  // One thing has changed.
  void ChangesOne(v1::ChangeKind kind, const std::string& object, const std::string& before,
                  const std::string& after) {
    v1::ConfigurationChange& change = *admin_.change.add_changes();
    change.set_kind(kind);
    change.set_object(object);
    change.set_before(before);
    change.set_after(after);
    if (kind == v1::CHANGE_KIND_CREATED) admin_.change.set_created(1);
    if (kind == v1::CHANGE_KIND_UPDATED) admin_.change.set_updated(1);
    if (kind == v1::CHANGE_KIND_DELETED) admin_.change.set_deleted(1);
    admin_.change.set_etag("e1");
  }

  ScriptedAdmin admin_;
  client::PriorityClient client_{{.address = admin_.address()}};
  sacctmgr::Settings settings_;
  RecordingTerminal terminal_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_CLIENT_PRIOCTL_SACCTMGR_RECORDING_TERMINAL_H_
