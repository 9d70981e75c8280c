#include "tests/end_to_end/secured_priorityd.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/end_to_end/honest_user.h"
#include "tests/storage/test_database.h"

namespace priorityd {
namespace {

namespace v1 = ::priority::v1;

void AddFile(v1::FileKind kind, const std::string& name, const std::string& content,
             v1::ImportRequest* request) {
  v1::File* file = request->add_files();
  file->set_kind(kind);
  file->set_name(name);
  file->set_content(content);
}

}  // namespace

void ReplaceFile(const std::string& path, const std::string& content) {
  const std::string next = path + ".next";
  std::ofstream(next, std::ios::binary) << content;
  chmod(next.c_str(), 0600);
  EXPECT_EQ(std::rename(next.c_str(), path.c_str()), 0) << path;
}

SecuredPriorityd::SecuredPriorityd(const std::string& settings, std::vector<std::string> flags) {
  ReplaceFile(folder_.path() + "/jwt.key", secret_);
  WriteAuthFile(settings);
  flags.push_back("--auth_file=" + folder_.path() + "/auth.conf");
  flags.push_back("--database_url=" + storage::NewTestDatabase());
  flags.push_back("--listen=127.0.0.1:0");
  process_ = std::make_unique<RealPriorityd>(flags);
  if (process_->AwaitListening()) Import();
}

void SecuredPriorityd::WriteAuthFile(const std::string& settings) const {
  ReplaceFile(folder_.path() + "/auth.conf",
              absl::StrCat("AuthType=auth/munge\nAuthInfo=socket=", munged_.socket(),
                           "\nAuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key=", folder_.path(),
                           "/jwt.key\n", settings));
}

void SecuredPriorityd::Import() const {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          "ClusterName=c\nNodeName=n1 CPUs=10\nPartitionName=p Nodes=n1 Default=YES\n", &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump",
          "Cluster - 'c':Fairshare=1\nParent - 'root'\nAccount - 'a':Fairshare=1\nParent - 'a'\n"
          "User - 'amy':DefaultAccount='a'\nUser - 'ben':DefaultAccount='a'\n",
          &request);
  // Over TLS the test imports what it needs by itself.
  const client::PriorityClient root(As("root"));
  const auto imported = root.Import(std::move(request));
  EXPECT_TRUE(imported.ok() || absl::IsUnavailable(imported.status())) << imported.status();
}

int SecuredPriorityd::port() const {
  int port = 0;
  EXPECT_TRUE(absl::SimpleAtoi(address().substr(address().rfind(':') + 1), &port));
  return port;
}

std::string SecuredPriorityd::Token(const std::string& user) const {
  const int64_t expires = absl::ToUnixSeconds(absl::Now() + absl::Hours(1));
  return identity::SigningKey::OfSecret(secret_).Token(
      absl::StrCat(R"({"sun":")", user, R"(","exp":)", expires, "}"));
}

client::ConnectOptions SecuredPriorityd::As(const std::string& user) const {
  return {.address = address(), .authorize = [token = Token(user)] { return "Bearer " + token; }};
}

double SecuredPriorityd::ResidentMib() const { return ResidentMibOf(process_->pid()); }

}  // namespace priorityd
