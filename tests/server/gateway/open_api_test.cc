#include "server/gateway/open_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/authorization/rights_table.h"

namespace priorityd::gateway {
namespace {

using nlohmann::json;

// Calls `check` with each value of a key named `name`, however deep.
template <typename Check>
void ForEach(const json& value, const std::string& name, const Check& check) {
  if (value.is_object() && value.contains(name)) check(value[name]);
  if (!value.is_structured()) return;
  for (const json& inner : value) ForEach(inner, name, check);
}

TEST(OpenApiTest, EveryRpcButThatOfStreamedRequestsIsInIt) {
  const json document = json::parse(OpenApi());
  size_t served = 0;
  for (const authorization::Right& right : authorization::kRightsTable) {
    const std::vector<std::string> parts = absl::StrSplit(right.method, '.');
    const bool is_served = right.rpc != authorization::Rpc::kStreamUsage;
    served += is_served;
    EXPECT_EQ(document["paths"].contains(absl::StrCat("/v1/", parts.back())), is_served)
        << right.method;
  }
  EXPECT_EQ(document["paths"].size(), served);
}

TEST(OpenApiTest, WhatItRefersToIsThere) {
  const json document = json::parse(OpenApi());
  int count = 0;
  ForEach(document, "$ref", [&](const json& reference) {
    const std::string path = std::string(reference).substr(1);
    EXPECT_TRUE(document.contains(json::json_pointer(path))) << path;
    ++count;
  });
  EXPECT_GT(count, 200);
}

TEST(OpenApiTest, ItHasTheCommentsOfTheProto) {
  const json document = json::parse(OpenApi());
  EXPECT_EQ(document["paths"]["/v1/PriorityService/ListJobs"]["get"]["description"],
            "Lists the jobs of the tracked queue.");
  const json& share = document["components"]["schemas"]["priority.v1.AssociationShare"];
  EXPECT_EQ(share["properties"]["levelShares"]["description"],
            "The sum of the raw shares of all siblings, including the association; 0 for root.");
  const json& parameters = document["paths"]["/v1/PriorityService/ListShares"]["get"]["parameters"];
  EXPECT_TRUE(std::any_of(parameters.begin(), parameters.end(), [](const json& parameter) {
    return parameter["name"] == "accountsOnly" &&
           parameter["description"] == "Only accounts, without users.";
  }));
}

json SchemaOf(const std::string& message) {
  return json::parse(OpenApi())["components"]["schemas"]["priority.v1." + message];
}

TEST(OpenApiTest, AnAnswerHasEachFieldWithoutPresence) {
  EXPECT_THAT(SchemaOf("RankedJob")["required"].get<std::vector<std::string>>(),
              testing::AllOf(testing::Contains("rank"), testing::Contains("jobId"),
                             testing::Not(testing::Contains("priority")),
                             testing::Not(testing::Contains("contributions"))));
  EXPECT_THAT(SchemaOf("RankJobsResponse")["required"].get<std::vector<std::string>>(),
              testing::AllOf(testing::Contains("ranked"), testing::Contains("rankedTotal"),
                             testing::Not(testing::Contains("snapshot"))));
}

TEST(OpenApiTest, ARequestMayLackAnyField) {
  EXPECT_FALSE(SchemaOf("RankJobsRequest").contains("required"));
  EXPECT_FALSE(SchemaOf("Job").contains("required"));  // UpdateJobs takes it, ListJobs returns it.
}

}  // namespace
}  // namespace priorityd::gateway
