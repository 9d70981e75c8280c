#include "server/threads/turns.h"

#include <gtest/gtest.h>

#include <string>

namespace priorityd::threads {
namespace {

TEST(TurnsTest, OneOfEachOwnerIsTakenInTurnAndThoseOfOneOwnerInOrder) {
  Turns<std::string> turns;
  for (const char* item : {"a1", "a2", "a3", "b1", "b2", "c1"}) turns.Add({item[0]}, item);
  EXPECT_EQ(turns.size(), 6u);
  std::string taken;
  while (!turns.empty()) taken += turns.Take() + " ";
  EXPECT_EQ(taken, "a1 b1 c1 a2 b2 a3 ");
}

TEST(TurnsTest, AnOwnerWithOneItemWaitsForOneOfEachOtherOwner) {
  Turns<std::string> turns;
  for (int i = 0; i < 1000; ++i) turns.Add("greedy", "g");
  turns.Add("honest", "h");
  EXPECT_EQ(turns.Take(), "g");
  EXPECT_EQ(turns.Take(), "h");
  EXPECT_EQ(turns.size(), 999u);
  // The same after a turn without it.
  EXPECT_EQ(turns.Take(), "g");
  turns.Add("honest", "h");
  EXPECT_EQ(turns.Take(), "g");
  EXPECT_EQ(turns.Take(), "h");
}

}  // namespace
}  // namespace priorityd::threads
