// The requests that the fuzzer knows are those of the services, and the corpus has one of each.
#include "tests/fuzz/requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>

#include "priority/v1/admin_service.pb.h"
#include "priority/v1/priority_service.pb.h"

namespace priorityd::fuzz {
namespace {

std::set<std::string> RequestsOfServices() {
  std::set<std::string> names;
  for (const char* name : {"priority.v1.PriorityService", "priority.v1.AdminService"}) {
    const auto* service =
        google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(name);
    for (int i = 0; i < service->method_count(); ++i) {
      names.insert(service->method(i)->input_type()->name());
    }
  }
  return names;
}

std::set<std::string> KnownRequests() {
  std::set<std::string> names;
  for (const auto& [name, run] : Requests()) names.insert(name);
  return names;
}

TEST(RequestsTest, EveryRequestOfTheServicesIsKnown) {
  EXPECT_EQ(KnownRequests(), RequestsOfServices());
}

TEST(RequestsTest, TheCorpusHasOneOfEach) {
  std::set<std::string> seen;
  for (const auto& file : std::filesystem::directory_iterator("tests/fuzz/corpus/request")) {
    std::ifstream stream(file.path(), std::ios::binary);
    std::string name;
    std::getline(stream, name);
    const std::string body{std::istreambuf_iterator<char>(stream),
                           std::istreambuf_iterator<char>()};
    ASSERT_EQ(KnownRequests().count(name), 1u) << file.path() << ": " << name;
    const std::unique_ptr<google::protobuf::Message> message(NewRequest(name));
    EXPECT_TRUE(ParseRequest(body, message.get())) << file.path();
    seen.insert(name);
  }
  EXPECT_EQ(seen, KnownRequests());
}

}  // namespace
}  // namespace priorityd::fuzz
