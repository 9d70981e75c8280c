// Servers and time: start, kill, failover, advance, recalculate.
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/retry.h"
#include "priority/v1/admin_service.pb.h"
#include "tests/scenarios/commands.h"
#include "tests/scenarios/proto_time.h"
#include "tests/scenarios/scenario_time.h"

namespace priorityd::scenarios {
namespace {

namespace v1 = ::priority::v1;

constexpr absl::Duration kPatience = absl::Minutes(1);
constexpr absl::Duration kBetweenTries = absl::Milliseconds(20);

absl::StatusOr<std::string> Start(Call& call) {
  const std::string name = call.arguments.Text("server");
  if (absl::Status s = call.arguments.Finish(); !s.ok()) return s;
  if (absl::Status s = call.site.Start(name); !s.ok()) return s;
  return "ok";
}

absl::StatusOr<std::string> Kill(Call& call) {
  const std::string name = call.arguments.Text("server");
  if (absl::Status s = call.arguments.Finish(); !s.ok()) return s;
  if (absl::Status s = call.site.Kill(name); !s.ok()) return s;
  return "ok";
}

std::string ToAnswer(const absl::StatusOr<v1::Snapshot>& snapshot) {
  if (!snapshot.ok()) return ErrorText(snapshot.status());
  return absl::StrCat("generation ", snapshot->generation(), " at ",
                      ToText(FromProto(snapshot->computed_at())));
}

absl::StatusOr<std::string> Advance(Call& call) {
  const std::string text = call.arguments.Word("a duration");
  if (absl::Status s = call.arguments.Finish(); !s.ok()) return s;
  const std::optional<absl::Duration> by = ParseDuration(text);
  if (!by.has_value()) return absl::InvalidArgumentError("want a duration such as 7d or 90m");
  if (!call.site.now().has_value()) return absl::InvalidArgumentError("recalculate at=TIME first");
  call.site.SetNow(*call.site.now() + *by);
  return ToText(*call.site.now());
}

// Moves the clock by `at=` or `after=`; retried until `patience` is over where it may
// succeed later.
absl::StatusOr<std::string> Recalculate(Call& call, absl::Duration patience) {
  const absl::Time at = call.arguments.Time("at", call.site.now());
  call.site.SetNow(at + call.arguments.Duration("after"));
  v1::RecalculateRequest request;
  ToProto(*call.site.now(), request.mutable_as_of());
  const auto client = ClientOf(call);
  if (!client.ok()) return client.status();
  const absl::Time until = absl::Now() + patience;
  auto snapshot = (*client)->Recalculate(request);
  while (client::IsTransient(snapshot.status()) && absl::Now() < until) {
    absl::SleepFor(kBetweenTries);
    snapshot = (*client)->Recalculate(request);
  }
  return ToAnswer(snapshot);
}

absl::StatusOr<std::string> RecalculateOnce(Call& call) {
  return Recalculate(call, absl::ZeroDuration());
}

absl::StatusOr<std::string> FailOver(Call& call) { return Recalculate(call, kPatience); }

}  // namespace

void AddServerCommands(Commands* commands) {
  (*commands)["start"] = {Start};
  (*commands)["kill"] = {Kill};
  (*commands)["advance"] = {Advance};
  (*commands)["recalculate"] = {RecalculateOnce};
  (*commands)["failover"] = {FailOver};
}

}  // namespace priorityd::scenarios
