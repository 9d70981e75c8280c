#include "client/prioctl/commands.h"

#include "client/prioctl/forecast/commands.h"
#include "client/prioctl/grants/commands.h"
#include "client/prioctl/policy/commands.h"
#include "client/prioctl/queue/commands.h"
#include "client/prioctl/site/commands.h"
#include "client/prioctl/slurm/commands.h"
#include "client/prioctl/sreport/commands.h"
#include "client/prioctl/usage/commands.h"

namespace priorityd::prioctl {
namespace {

constexpr const Command* kCommands[] = {
    &kMeCommand,           &kImportCommand,      &kRankCommand,       &kExplainCommand,
    &kSubmitCheckCommand,  &kWhatIfCommand,      &kPlanCommand,       &kForecastCommand,
    &kPreemptCommand,      &kCostCommand,        &kBudgetCommand,     &kGrantCommand,
    &kQosUsageCommand,     &kQueueCommand,       &kWatchCommand,      &kRecordCommand,
    &kCollectCommand,      &kSshareCommand,      &kSprioCommand,      &kSreportCommand,
    &kSacctCommand,        &kSeffCommand,        &kSacctmgrCommand,   &kSqueueCommand,
    &kScontrolCommand,     &kScancelCommand,     &kSinfoCommand,      &kSharesCommand,
    &kShareHistoryCommand, &kRecalculateCommand, &kResetUsageCommand, &kRebuildUsageCommand,
    &kUsageCommand,        &kPolicyCommand,      &kClusterCommand,    &kDomainCommand,
    &kFleetCommand,        &kBackupCommand,      &kAuditCommand,      &kLeaseCommand,
    &kStatusCommand,       &kAliasCommand,       &kUserCommand,       &kExportCommand,
};

constexpr const Command* kTools[] = {
    &kSshareCommand,   &kSprioCommand,  &kSreportCommand,  &kSacctCommand,   &kSeffCommand,
    &kSacctmgrCommand, &kSqueueCommand, &kScontrolCommand, &kScancelCommand, &kSinfoCommand,
};

}  // namespace

absl::Span<const Command* const> Commands() { return kCommands; }

absl::Span<const Command* const> Tools() { return kTools; }

}  // namespace priorityd::prioctl
