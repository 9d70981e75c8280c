#include "tests/soak/site.h"

#include "absl/strings/str_cat.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

std::string DumpOf(int cluster) {
  std::string dump =
      absl::StrCat("Cluster - '", ClusterName(cluster), "':Fairshare=1\nParent - 'root'\n");
  for (int user = 0; user < kUsers; user += kUsersPerAccount) {
    absl::StrAppend(&dump, "Account - '", AccountName(user), "':Fairshare=", 1 + user, "\n");
  }
  for (int user = 0; user < kUsers; ++user) {
    if (user % kUsersPerAccount == 0)
      absl::StrAppend(&dump, "Parent - '", AccountName(user), "'\n");
    absl::StrAppend(&dump, "User - '", UserName(user), "':DefaultAccount='", AccountName(user),
                    "':Fairshare=", 1 + user % 3, "\n");
  }
  return dump;
}

void AddFile(v1::FileKind kind, const char* name, std::string content, v1::ImportRequest* request) {
  v1::File* file = request->add_files();
  file->set_kind(kind);
  file->set_name(name);
  file->set_content(std::move(content));
}

}  // namespace

std::string ClusterName(int cluster) {
  const std::string number = absl::StrCat(1000 + cluster);
  return "c" + number.substr(1);
}

std::string UserName(int user) { return absl::StrCat("u", user); }
std::string AccountName(int user) { return absl::StrCat("a", user / kUsersPerAccount); }
bool Decays(int cluster) { return cluster % 3 == 2; }

std::string PolicyText(int cluster, int version) {
  return absl::StrCat("ClusterName=", ClusterName(cluster),
                      "\nPriorityType=priority/multifactor\nPriorityCalcPeriod=1\n",
                      "PriorityDecayHalfLife=", Decays(cluster) ? "7-0" : "0",
                      "\nPriorityUsageResetPeriod=NONE\nPriorityWeightFairshare=10000\n"
                      "PriorityWeightAge=0\nPriorityWeightQOS=",
                      1000 + version, "\n");
}

v1::ImportRequest SiteOf(int cluster) {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf", PolicyText(cluster, 0), &request);
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", DumpOf(cluster), &request);
  return request;
}

}  // namespace priorityd::soak
