#include "server/identity/peer_host.h"

#include <gtest/gtest.h>

namespace priorityd::identity {
namespace {

TEST(PeerHostTest, OfIpv4TheHostIsTheAddress) {
  EXPECT_EQ(HostOfPeer("ipv4:10.0.0.1:54321"), "10.0.0.1");
  EXPECT_EQ(HostOfAddress("10.0.0.1"), "10.0.0.1");
}

TEST(PeerHostTest, OfIpv6TheHostIsTheNetworkOf64Bits) {
  EXPECT_EQ(HostOfPeer("ipv6:%5B2001:db8:1:2:3:4:5:6%5D:54321"), "2001:db8:1:2::/64");
  EXPECT_EQ(HostOfPeer("ipv6:%5B2001:db8:1:2::%5D:1"), "2001:db8:1:2::/64");
  EXPECT_EQ(HostOfPeer("ipv6:[2001:db8:1:2:ffff:ffff:ffff:ffff]:2"), "2001:db8:1:2::/64");
  EXPECT_EQ(HostOfPeer("ipv6:[2001:db8:1:3::1]:2"), "2001:db8:1:3::/64");
  EXPECT_EQ(HostOfAddress("2001:db8:1:2::1"), "2001:db8:1:2::/64");
  EXPECT_EQ(HostOfPeer("ipv6:%5Bfe80::1%25eth0%5D:3"), "fe80::/64");
}

TEST(PeerHostTest, Ipv4InIpv6IsIpv4AndThisHostIsItself) {
  EXPECT_EQ(HostOfPeer("ipv6:%5B::ffff:10.0.0.1%5D:54321"), "10.0.0.1");
  EXPECT_EQ(HostOfAddress("::ffff:10.0.0.2"), "10.0.0.2");
  EXPECT_EQ(HostOfPeer("ipv6:%5B::1%5D:54321"), "::1");
  EXPECT_EQ(HostOfAddress("::2"), "::/64");
}

TEST(PeerHostTest, WhatIsNoAddressIsItself) {
  EXPECT_EQ(HostOfPeer("unix:/run/priorityd.sock"), "unix:/run/priorityd.sock");
  EXPECT_EQ(HostOfPeer("ipv6:"), "");
  EXPECT_EQ(HostOfPeer("ipv4:here"), "here");
  EXPECT_EQ(HostOfPeer(""), "");
}

}  // namespace
}  // namespace priorityd::identity
