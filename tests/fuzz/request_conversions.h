// What the server does with a request that is valid, as far as it needs nothing stored: conversion
// to the engine's terms, settings applied to a small site, jobs ranked and planned there. Each ends
// the process where a property does not hold.
#ifndef PRIORITYD_TESTS_FUZZ_REQUEST_CONVERSIONS_H_
#define PRIORITYD_TESTS_FUZZ_REQUEST_CONVERSIONS_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "priority/v1/admin_service.pb.h"
#include "priority/v1/administration.pb.h"
#include "priority/v1/priority_service.pb.h"
#include "server/messages/page_token.h"
#include "tests/fuzz/check.h"

namespace priorityd::rpc {

// With jobs of their own or the tracked ones, on the small site.
void Convert(const ::priority::v1::RankJobsRequest& request);
void Convert(const ::priority::v1::ExplainPriorityRequest& request);
void Convert(const ::priority::v1::PlanStartsRequest& request);
void Convert(const ::priority::v1::SuggestPreemptionRequest& request);
void Convert(const ::priority::v1::EstimateJobCostRequest& request);

void Convert(const ::priority::v1::WatchRankingRequest& request);
void Convert(const ::priority::v1::SimulateRequest& request);
void Convert(const ::priority::v1::LintPolicyRequest& request);
void Convert(const ::priority::v1::RecordUsageRequest& request);
void Convert(const ::priority::v1::UpdateJobsRequest& request);
void Convert(const ::priority::v1::ReportUsageRequest& request);

void Convert(const ::priority::v1::ImportRequest& request);
void Convert(const ::priority::v1::ApplyPolicyRequest& request);

// On a small tree, by an administrator and by a coordinator.
void Convert(const ::priority::v1::CreateAssociationsRequest& request);
void Convert(const ::priority::v1::UpdateAssociationsRequest& request);
void Convert(const ::priority::v1::DeleteAssociationsRequest& request);
void Convert(const ::priority::v1::UpdateUsersRequest& request);

void Convert(const ::priority::v1::CreateQosRequest& request);
void Convert(const ::priority::v1::UpdateQosRequest& request);
void Convert(const ::priority::v1::UpdatePartitionsRequest& request);
void Convert(const ::priority::v1::UpdateReservationsRequest& request);

// A place in any list.
struct AnyPlace {
  int64_t first = 0;
  int64_t second = 0;
  std::vector<std::string> texts;
  bool IsValid() const { return first >= 0; }
};

// A list: its page tokens.
template <typename Request>
requires requires(const Request& request) { request.page_token(); }
void Convert(const Request& request) {
  const PageTokens<AnyPlace> tokens("c", request);
  const auto given = tokens.Given();
  slurm::Check(given.ok() || absl::IsInvalidArgument(given.status()), "a token is one or is not");
  Request next = request;
  next.set_page_token(tokens.Next({1, -2, {"a", ""}}));
  const auto place = PageTokens<AnyPlace>("c", next).Given();
  slurm::Check(place.ok() && place->has_value() && (*place)->second == -2 &&
                   (*place)->texts == std::vector<std::string>{"a", ""},
               "a token leads to its place");
}

// All others are taken as they are.
inline void Convert(const google::protobuf::Message&) {}

}  // namespace priorityd::rpc

#endif  // PRIORITYD_TESTS_FUZZ_REQUEST_CONVERSIONS_H_
