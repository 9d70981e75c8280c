// scontrol's host lists, compared with what a real scontrol printed.
#include "client/prioctl/nodes/host_lists.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/jobs/captured_jobs.h"

namespace priorityd::nodes {
namespace {

std::string Captured(const std::string& command) {
  return absl::StrJoin(jobs::CapturedLines("nodes.txt", command), "\n") + "\n";
}

TEST(HostListsTest, NamesAreSlurms) {
  for (const char* list : {"n[1-3]", "n[08-10,3],login", "n1,n2,n1", "c[1-2]n[1-2]"}) {
    EXPECT_EQ(HostNames(list).value(), Captured(absl::StrCat("scontrol show hostnames ", list)));
  }
}

TEST(HostListsTest, ListsAreSlurms) {
  for (const char* names :
       {"n1,n2,n3,n10", "n10,n2,n1,n2", "n01,n2,login,n02", "n[1-3],n5", "c1n1,c1n2,c2n1"}) {
    EXPECT_EQ(HostList(names).value(), Captured(absl::StrCat("scontrol show hostlist ", names)));
  }
  for (const char* names : {"n10,n2,n1,n2", "z1,a2,a1,b"}) {
    EXPECT_EQ(SortedHostList(names).value(),
              Captured(absl::StrCat("scontrol show hostlistsorted ", names)));
  }
}

TEST(HostListsTest, NumbersKeepTheirWidth) {
  EXPECT_EQ(HostList("n08,n09,n10").value(), "n[08-10]\n");
  EXPECT_EQ(HostList("n8,n9,n10").value(), "n[8-10]\n");
  EXPECT_EQ(HostList("n098,n99,n100").value(), "n[098,99-100]\n");
}

TEST(HostListsTest, BlanksAndLineEndsDivideHostsToo) {
  EXPECT_EQ(HostList("n1\nn2 n4\n").value(), "n[1-2,4]\n");
}

TEST(HostListsTest, WithoutAHostThereIsNoList) {
  for (const char* list : {"", " \n", ","}) {
    EXPECT_EQ(HostNames(list).status().message(), "host list is empty");
  }
  EXPECT_FALSE(HostNames("n[1-").ok());
}

}  // namespace
}  // namespace priorityd::nodes
