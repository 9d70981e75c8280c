#include "engine/priority/site/name_table.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace priorityd::priority {
namespace {

TEST(NameTableTest, TheEmptyNameIsZeroFromTheBeginning) {
  NameTable names;
  EXPECT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0], "");
  EXPECT_EQ(names.Intern(""), 0u);
  EXPECT_EQ(names.Find(""), 0u);
}

TEST(NameTableTest, ManyNamesHaveTheIdsOfAMap) {
  NameTable names;
  std::map<std::string, NameId> want = {{"", 0}};
  for (int i = 0; i < 20000; ++i) {
    const std::string name = absl::StrCat("user", i * 7919 % 5003);
    const NameId next = static_cast<NameId>(want.size());
    EXPECT_EQ(names.Intern(name), want.emplace(name, next).first->second);
  }
  EXPECT_EQ(names.size(), want.size());
  for (const auto& [name, id] : want) {
    EXPECT_EQ(names[id], name);
    EXPECT_EQ(names.Find(name), id);
  }
}

TEST(NameTableTest, ANameThatWasNeverInternedIsNotFoundAndNotAdded) {
  NameTable names;
  names.Intern("ann");
  EXPECT_FALSE(names.Find("an").has_value());
  EXPECT_FALSE(names.Find("anna").has_value());
  EXPECT_EQ(names.size(), 2u);
}

TEST(NameTableTest, AViewStaysValidWhenTheTableIsMoved) {
  NameTable names;
  const NameId ann = names.Intern("ann");
  const absl::string_view view = names[ann];
  const NameTable moved = std::move(names);
  EXPECT_EQ(view.data(), moved[ann].data());
  EXPECT_EQ(moved.Find("ann"), ann);
}

TEST(NameTableTest, TablesAreEqualIfTheSameNamesHaveTheSameIds) {
  NameTable one, same, other, joined;
  for (NameTable* names : {&one, &same}) names->Intern("ann"), names->Intern("bob");
  other.Intern("bob"), other.Intern("ann");
  joined.Intern("annbob"), joined.Intern("");
  EXPECT_TRUE(one == same);
  EXPECT_EQ(one.Hash(), same.Hash());
  EXPECT_FALSE(one == other);
  EXPECT_FALSE(one == joined);
}

}  // namespace
}  // namespace priorityd::priority
