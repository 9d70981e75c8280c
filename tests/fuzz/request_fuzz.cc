// Every request: what is said of it without knowing a cluster, and its conversion.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "server/errors/bounds.h"
#include "server/rpc/convert_queue.h"
#include "server/rpc/convert_usage.h"
#include "server/rpc/convert_watch.h"
#include "server/rpc/page_token.h"
#include "server/rpc/validate.h"
#include "server/rpc/validate_plan.h"
#include "server/rpc/validate_simulation.h"
#include "server/usage/validation.h"
#include "tests/fuzz/check.h"
#include "tests/fuzz/message_mutator.h"

// Of libFuzzer; not there where a test runs the target.
extern "C" __attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t* data, size_t size,
                                                         size_t max_size);

namespace priorityd::rpc {
namespace {

namespace v1 = ::priority::v1;

using slurm::Check;

// Of what an answer says of one job or record.
constexpr size_t kMaxAnswerBytes = 1024;

class NoErrors : public google::protobuf::io::ErrorCollector {
  void AddError(int, int, const std::string&) override {}
};

// From text, as the corpus has it, else from what comes over the wire.
void ParseInto(const std::string& body, google::protobuf::Message* message) {
  google::protobuf::TextFormat::Parser parser;
  NoErrors no_errors;
  parser.RecordErrorsTo(&no_errors);
  if (parser.ParseFromString(body, message)) return;
  message->Clear();
  if (!message->ParseFromString(body)) message->Clear();
}

template <typename Request>
Request Parse(const std::string& body) {
  Request request;
  ParseInto(body, &request);
  return request;
}

void CheckStatus(const absl::Status& status) {
  Check(status.ok() || absl::IsInvalidArgument(status), "a request is valid or invalid");
  Check(status.ok() == errors::ViolationsOf(status).empty(), "violations exactly when not OK");
  for (const errors::FieldViolation& violation : errors::ViolationsOf(status)) {
    Check(!violation.field.empty() && !violation.description.empty(), "a violation says where");
  }
}

void CheckJobs(const std::vector<priority::Job>& jobs) {
  for (const priority::Job& job : jobs) {
    Check(job.violation.size() < kMaxAnswerBytes, "a violation is short");
    if (!job.violation.empty()) continue;
    Check(!job.job_id.empty() && job.job_id.size() <= errors::kMaxTextBytes, "an id fits a key");
    Check(job.partitions.size() * job.qos.size() <= errors::kMaxPairsOfJob, "pairs are bounded");
    Check(job.tres.size() <= errors::kMaxTresNames, "TRES are bounded");
  }
}

void Convert(const v1::RecordUsageRequest& request) {
  for (const usage::UsageSubmission& record : ToSubmissions(request)) {
    const std::optional<usage::Rejection> fault = usage::FindFault(record, {});
    if (fault.has_value()) {
      Check(fault->field.size() + fault->message.size() < kMaxAnswerBytes, "a fault is short");
    } else {
      Check(record.source.size() + record.record_id.size() <= 2 * errors::kMaxTextBytes,
            "a key fits an index");
    }
  }
}

void Convert(const v1::UpdateJobsRequest& request) {
  const UpsertBatch batch(request);
  for (const queue::TrackedJob& job : batch.jobs()) CheckJobs({job.job});
}

void Convert(const v1::WatchRankingRequest& request) {
  if (Validate(request).ok()) ToViewSpec(request, "c");
}

template <typename Request>
requires requires(const Request& request) { request.jobs().jobs(); }
void Convert(const Request& request) { CheckJobs(InlineQueue(request.jobs().jobs()).jobs()); }

struct Place {
  int64_t first = 0;
  int64_t second = 0;
  bool IsValid() const { return first >= 0; }
};

template <typename Request>
requires requires(const Request& request) { request.page_token(); }
void Convert(const Request& request) {
  const auto given = PageTokens<Place>("c", request).Given();
  Check(given.ok() || absl::IsInvalidArgument(given.status()), "a token is one or is not");
}

void Convert(const google::protobuf::Message&) {}

template <typename Request>
bool Try(absl::string_view name, const std::string& body) {
  if (name != absl::string_view(Request::descriptor()->name())) return false;
  const Request request = Parse<Request>(body);
  if constexpr (requires { Validate(request, RequestLimits()); }) {
    CheckStatus(Validate(request, RequestLimits{.max_jobs = 20, .max_records = 20}));
  } else {
    CheckStatus(Validate(request));
  }
  Convert(request);
  return true;
}

// The first line names the message, the rest is its content.
std::pair<std::string, std::string> NameAndBody(const std::string& text) {
  const size_t line = std::min(text.find('\n'), text.size());
  return {text.substr(0, line), text.substr(std::min(line + 1, text.size()))};
}

// One message that is like another; empty where the text names none.
std::string Mutate(const std::string& text, std::mt19937& random) {
  const auto [name, body] = NameAndBody(text);
  const auto* type = google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName(
      "priority.v1." + name);
  if (type == nullptr) return "";
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
  ParseInto(body, message.get());
  for (size_t changes = 1 + random() % 5; changes > 0; --changes) {
    MutateMessage(message.get(), random);
  }
  std::string mutated;
  google::protobuf::TextFormat::PrintToString(*message, &mutated);
  return name + "\n" + mutated;
}

int RunOne(const std::string& text) {
  const auto [of_message, body] = NameAndBody(text);
  const absl::string_view name(of_message);
  const bool known =
      Try<v1::RankJobsRequest>(name, body) || Try<v1::WatchRankingRequest>(name, body) ||
      Try<v1::ExplainPriorityRequest>(name, body) || Try<v1::LintPolicyRequest>(name, body) ||
      Try<v1::PlanStartsRequest>(name, body) || Try<v1::SuggestPreemptionRequest>(name, body) ||
      Try<v1::SimulateRequest>(name, body) || Try<v1::RecordUsageRequest>(name, body) ||
      Try<v1::UpdateJobsRequest>(name, body) || Try<v1::ListJobsRequest>(name, body) ||
      Try<v1::ListSharesRequest>(name, body) || Try<v1::ListShareHistoryRequest>(name, body) ||
      Try<v1::ReportUsageRequest>(name, body) || Try<v1::ImportRequest>(name, body) ||
      Try<v1::ApplyPolicyRequest>(name, body) || Try<v1::GetPolicyRequest>(name, body) ||
      Try<v1::UpdateClusterRequest>(name, body) || Try<v1::RecalculateRequest>(name, body) ||
      Try<v1::ResetUsageRequest>(name, body) || Try<v1::RebuildUsageRequest>(name, body);
  static_cast<void>(known);
  return 0;
}

}  // namespace
}  // namespace priorityd::rpc

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return priorityd::rpc::RunOne(priorityd::slurm::FuzzText(data, size));
}

// Most mutations are messages, the others any bytes.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  std::mt19937 random(seed);
  const std::string mutated =
      random() % 8 == 0 ? ""
                        : priorityd::rpc::Mutate(priorityd::slurm::FuzzText(data, size), random);
  if (!mutated.empty() && mutated.size() <= max_size) {
    std::copy(mutated.begin(), mutated.end(), data);
    return mutated.size();
  }
  return LLVMFuzzerMutate == nullptr ? size : LLVMFuzzerMutate(data, size, max_size);
}
