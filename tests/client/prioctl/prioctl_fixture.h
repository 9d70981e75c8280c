// What the tests of prioctl's commands share.
#ifndef PRIORITYD_TESTS_CLIENT_PRIOCTL_PRIOCTL_FIXTURE_H_
#define PRIORITYD_TESTS_CLIENT_PRIOCTL_PRIOCTL_FIXTURE_H_

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/fake_priorityd.h"
#include "tests/client/run_prioctl.h"

namespace priorityd {

namespace v1 = ::priority::v1;

inline constexpr char kTwoJobs[] =
    "{\"jobId\": \"1\", \"user\": \"ann\"}\n{\"jobId\": \"2\", \"user\": \"bob\"}\n";

// One line, and that one alone.
MATCHER(IsOneLine, "") {
  return std::count(arg.begin(), arg.end(), '\n') == 1 && arg.back() == '\n';
}

// The real prioctl, run as a program against a service inside the test.
class PrioctlTest : public ::testing::Test {
 protected:
  Finished Run(std::vector<std::string> arguments, const std::string& in = "",
               const std::string& name = "prioctl") {
    const AnswerOrder order;
    arguments.insert(arguments.begin(), {"--server", fake_.address()});
    return RunPrioctl(arguments, in, name);
  }

  // What a run that succeeds prints.
  std::string Output(const std::vector<std::string>& arguments, const std::string& in = "",
                     const std::string& name = "prioctl") {
    const Finished run = Run(arguments, in, name);
    EXPECT_EQ(run.exit_code, 0) << absl::StrJoin(arguments, " ") << ": " << run.err;
    return run.out;
  }
  // The errors of a run that ends with `exit_code`.
  std::string Failure(int exit_code, const std::vector<std::string>& arguments,
                      const std::string& in = "", const std::string& name = "prioctl") {
    const Finished run = Run(arguments, in, name);
    EXPECT_EQ(run.exit_code, exit_code) << absl::StrJoin(arguments, " ") << ": " << run.err;
    return run.err;
  }

  // A command with grants succeeds without the usage domain of its cluster, and fails without the
  // cluster.
  void ExpectOnlyTheClusterIsNeeded(const std::vector<std::string>& command) {
    for (const bool is_domain_gone : {true, false}) {
      fake_.list_grants.Answer([=](const auto& request, v1::ListGrantsResponse* answer) {
        answer->set_domain("site");
        const bool is_gone = (request.cluster() == "site") == is_domain_gone;
        return is_gone ? grpc::Status(grpc::NOT_FOUND, "not there") : grpc::Status::OK;
      });
      const Finished run = Run(command);
      EXPECT_EQ(run.exit_code == 0, is_domain_gone) << run.err;
      EXPECT_THAT(run.err, ::testing::HasSubstr(is_domain_gone ? "" : "not there"));
    }
  }

  FakePriorityd fake_;
};

}  // namespace priorityd

#endif  // PRIORITYD_TESTS_CLIENT_PRIOCTL_PRIOCTL_FIXTURE_H_
