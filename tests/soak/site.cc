#include "tests/soak/site.h"

#include "absl/strings/str_cat.h"
#include "tests/soak/access.h"

namespace priorityd::soak {
namespace {

namespace v1 = ::priority::v1;

// By which amounts are plausible: those of the senders, and none of the hostile collector's.
constexpr char kNodes[] = "NodeName=n[1-4] CPUs=64\n";

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
                      "\nPriorityType=priority/multifactor\nPriorityCalcPeriod=1\n", kNodes,
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

v1::ImportRequest HostileSite() {
  v1::ImportRequest request;
  AddFile(v1::FILE_KIND_SLURM_CONF, "slurm.conf",
          absl::StrCat("ClusterName=", kHostileCluster,
                       "\nPriorityType=priority/multifactor\nPriorityCalcPeriod=1\n", kNodes,
                       "PriorityDecayHalfLife=0\nPriorityUsageResetPeriod=NONE\n"
                       "PriorityWeightFairshare=10000\n"),
          &request);
  std::string dump =
      absl::StrCat("Cluster - '", kHostileCluster, "':Fairshare=1\nParent - 'root'\nAccount - '",
                   kHostileAccount, "':Fairshare=1\nParent - '", kHostileAccount, "'\n");
  const auto add = [&](const char* user, const std::string& rights) {
    absl::StrAppend(&dump, "User - '", user, "':DefaultAccount='", kHostileAccount, "'", rights,
                    ":Fairshare=1\n");
  };
  add(kHostileUser, "");
  add(kHostileCoordinator, absl::StrCat(":Coordinator='", kHostileAccount, "'"));
  add(kHostileOperator, ":AdminLevel='Operator'");
  add(kVictim, "");
  add(kGuest, "");
  AddFile(v1::FILE_KIND_SACCTMGR_DUMP, "dump", std::move(dump), &request);
  return request;
}

v1::UpdateJobsRequest VictimsJobs() {
  v1::UpdateJobsRequest request;
  request.set_cluster(kHostileCluster);
  request.set_source(kFrontendSource);
  for (const char* job_id : {kVictimsRunningJob, kVictimsPendingJob}) {
    v1::Job* job = request.add_upserts();
    job->set_job_id(job_id);
    job->set_user(kVictim);
    job->set_account(kHostileAccount);
  }
  request.mutable_upserts(0)->set_state(v1::JOB_STATE_RUNNING);
  return request;
}

}  // namespace priorityd::soak
