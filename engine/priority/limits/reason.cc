#include "engine/priority/limits/reason.h"

namespace priorityd::priority {

absl::string_view ReasonName(Reason reason) {
  switch (reason) {
    case Reason::kInvalidJob:
      return "InvalidJob";
    case Reason::kInvalidAccount:
      return "InvalidAccount";
    case Reason::kInvalidQos:
      return "InvalidQOS";
    case Reason::kInvalidPartition:
      return "InvalidPartition";
    case Reason::kJobHeldUser:
      return "JobHeldUser";
    case Reason::kJobHeldAdmin:
      return "JobHeldAdmin";
    case Reason::kDependency:
      return "Dependency";
    case Reason::kDependencyNever:
      return "DependencyNeverSatisfied";
    case Reason::kBeginTime:
      return "BeginTime";
    case Reason::kPartitionDown:
      return "PartitionDown";
    case Reason::kPartitionInactive:
      return "PartitionInactive";
    case Reason::kPartitionNodeLimit:
      return "PartitionNodeLimit";
    case Reason::kPartitionTimeLimit:
      return "PartitionTimeLimit";
    case Reason::kPartitionConfig:
      return "PartitionConfig";
    case Reason::kMaxMemPerLimit:
      return "MaxMemPerLimit";
    case Reason::kAccountNotAllowed:
      return "AccountNotAllowed";
    case Reason::kQosNotAllowed:
      return "QOSNotAllowed";
    case Reason::kReservation:
      return "Reservation";
    case Reason::kArrayTaskLimit:
      return "JobArrayTaskLimit";
    case Reason::kQosUsageThreshold:
      return "QOSUsageThreshold";
    case Reason::kLimit:
    case Reason::kNone:
      return "";
  }
  return "";
}

absl::string_view ReasonName(const Limits& limits, const Ineligibility& why) {
  if (why.exceeded.has_value()) return limits.WordOf(*why.exceeded->limit);
  return ReasonName(why.reason);
}

}  // namespace priorityd::priority
