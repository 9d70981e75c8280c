#include "client/prioctl/sacctmgr/default_format.h"

#include "absl/strings/str_cat.h"

namespace priorityd::sacctmgr {
namespace {

constexpr char kAssociation[] =
    "User,Partition,Share,Priority,GrpJobs,GrpTRES,GrpSubmit,GrpWall,GrpTRESMins,MaxJobs,MaxTRES,"
    "MaxTRESPerNode,MaxSubmit,MaxWall,MaxTRESMins,QOS,DefaultQOS,GrpTRESRunMins";
constexpr char kUserAssociation[] =
    ",Cluster,Account,Partition,Share,Priority,MaxJobs,MaxNodes,MaxCPUsPerJob,MaxSubmit,MaxWall,"
    "MaxCPUMins,QOS,DefaultQOS";
constexpr char kAccountAssociation[] =
    ",Cluster,ParentName,User,Share,Priority,GrpJobs,GrpNodes,GrpCPUs,GrpMem,GrpSubmit,GrpWall,"
    "GrpCPUMins,MaxJobs,MaxNodes,MaxCPUsPerJob,MaxSubmit,MaxWall,MaxCPUMins,QOS,DefaultQOS";
constexpr char kQos[] =
    "Name,Priority,GraceTime,Preempt,PreemptExemptTime,PreemptMode,Flags%40,UsageThreshold,"
    "UsageFactor,GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,MaxTRES,"
    "MaxTRESPerNode,MaxTRESMins,MaxWall,MaxTRESPU,MaxJobsPU,MaxSubmitPU,MaxTRESPA,MaxJobsPA,"
    "MaxSubmitPA,MinTRES";
constexpr char kCluster[] =
    "Cluster,ControlHost,ControlPort,RPC,Share,GrpJobs,GrpTRES,GrpSubmit,MaxJobs,MaxTRES,MaxSubmit,"
    "MaxWall,QOS,DefaultQOS";

}  // namespace

std::string DefaultFormat(Entity entity, const Selection& selection) {
  const char* coordinators = selection.with_coordinators ? ",Coordinators" : "";
  switch (entity) {
    case Entity::kAccount:
      return absl::StrCat("Account,Description,Organization",
                          selection.with_associations ? kAccountAssociation : "", coordinators);
    case Entity::kAssociation:
      return absl::StrCat("Cluster,", selection.tree ? "Account%-20," : "Account,", kAssociation);
    case Entity::kUser:
      return absl::StrCat("User,DefaultAccount,Admin",
                          selection.with_associations ? kUserAssociation : "", coordinators);
    case Entity::kQos:
      return kQos;
    case Entity::kCluster:
      return kCluster;
    case Entity::kCoordinator:
      return "User,Coordinators";
    case Entity::kTransaction:
      return "TimeStamp,Action,Actor,Where,Info";
    default:
      return "Cluster,Account,User,Problem";
  }
}

}  // namespace priorityd::sacctmgr
