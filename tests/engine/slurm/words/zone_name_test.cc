#include "engine/slurm/words/zone_name.h"

#include <gtest/gtest.h>

#include <string>

namespace priorityd::slurm {
namespace {

TEST(ZoneNameTest, ANameOfTheDatabaseIsFoundAndAPathIsNot) {
  absl::TimeZone zone;
  EXPECT_TRUE(FindZone("Europe/Berlin", &zone));
  EXPECT_EQ(zone.name(), "Europe/Berlin");
  const std::string others[] = {
      "", "Mars", "/etc/localtime", "../zoneinfo/UTC", "UTC UTC", std::string(65, 'a')};
  for (const std::string& name : others) EXPECT_FALSE(FindZone(name, &zone)) << name;
}

TEST(ZoneNameTest, EachZoneHasOneName) {
  absl::TimeZone zone;
  for (const std::string name : {"Europe//Berlin", "Europe///Berlin", "Europe/Berlin/"}) {
    EXPECT_FALSE(FindZone(name, &zone)) << name;
  }
}

}  // namespace
}  // namespace priorityd::slurm
