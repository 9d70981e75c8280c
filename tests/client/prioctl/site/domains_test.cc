#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::HasSubstr;

class DomainsCommandTest : public PrioctlTest {};

TEST_F(DomainsCommandTest, ListSaysWhatIsRefusedAndMissing) {
  fake_.list_domains.Answer([](const auto&, v1::ListDomainsResponse* response) {
    v1::DomainMember* member = response->add_members();
    member->set_domain("site");
    member->set_cluster("alpha");
    (*member->mutable_prices())["gres/gpu"] = 10;
    (*member->mutable_prices())["cpu"] = 0.5;
    member->set_counted_records(12);
    member->set_refused_records(1);
    member->set_refused_why("record 7:\naccount");
    member->set_missing_associations(11);
    member->add_missing("lab/dan");
    return grpc::Status::OK;
  });
  const std::string list = Output({"domain", "list", "site"});
  EXPECT_THAT(list, HasSubstr("cpu=0.5,gres/gpu=10"));
  EXPECT_THAT(list, HasSubstr("alpha: 1 record refused; the last: record 7:\\naccount\n"));
  EXPECT_THAT(list,
              HasSubstr("11 associations that the domain lacks, with fair-share 0: lab/dan ..."));
  EXPECT_EQ(fake_.list_domains.requests().back().domain(), "site");
}

TEST_F(DomainsCommandTest, QuotesOfARefusedRecordHaveNoBackslashes) {
  fake_.list_domains.Answer([](const auto&, v1::ListDomainsResponse* response) {
    v1::DomainMember* member = response->add_members();
    member->set_domain("site");
    member->set_cluster("alpha");
    member->set_refused_records(1);
    member->set_refused_why("record 7: account: got \"lab's\", want an account\x1b[2J");
    member->set_missing_associations(1);
    member->add_missing("o'neil/dan");
    return grpc::Status::OK;
  });
  const std::string out = Run({"domain", "list", "site"}).out;
  EXPECT_THAT(out, HasSubstr("the last: record 7: account: got \"lab's\", want an account"));
  EXPECT_THAT(out, HasSubstr("with fair-share 0: o'neil/dan\n"));
  EXPECT_EQ(out.find('\x1b'), std::string::npos) << "a terminal would do what it says";
}

TEST_F(DomainsCommandTest, AListWithoutDomainsSaysSo) {
  fake_.list_domains.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  EXPECT_THAT(Run({"domain", "list"}).out, HasSubstr("no usage domains"));
}

TEST_F(DomainsCommandTest, ListSaysOnceWhyADomainStandsStill) {
  fake_.list_domains.Answer([](const auto&, v1::ListDomainsResponse* response) {
    for (const char* cluster : {"alpha", "beta"}) {
      v1::DomainMember* member = response->add_members();
      member->set_domain("site");
      member->set_cluster(cluster);
      member->set_standstill(v1::DOMAIN_STANDSTILL_OVERDUE);
      member->mutable_overdue_by()->set_seconds(3600);
    }
    v1::DomainMember* member = response->add_members();
    member->set_domain("tests");
    member->set_cluster("gamma");
    member->set_standstill(v1::DOMAIN_STANDSTILL_MANUAL_CLOCK);
    return grpc::Status::OK;
  });
  const Finished list = Run({"domain", "list"});
  EXPECT_THAT(list.out,
              HasSubstr("\nsite: stands still: its recalculation is overdue by 01:00:00;"));
  EXPECT_THAT(list.out, HasSubstr("\ntests: stands still: it is on a manual clock; "
                                  "`prioctl --cluster=tests recalculate`\n"));
  EXPECT_EQ(list.out.find("site: stands still"), list.out.rfind("site: stands still"));
}

TEST_F(DomainsCommandTest, JoinSendsClustersAndPrices) {
  fake_.update_domain.Answer([](const auto&, v1::ChangeResponse*) { return grpc::Status::OK; });
  EXPECT_EQ(Run({"domain", "join", "site", "alpha", "beta", "--prices", "cpu=1,gres/gpu=8",
                 "--comment", "merged", "--validate-only"})
                .exit_code,
            0);
  const v1::UpdateDomainRequest request = fake_.update_domain.requests().back();
  EXPECT_EQ(request.cluster(), "site");
  EXPECT_EQ(request.join_size(), 2);
  EXPECT_EQ(request.prices().at("gres/gpu"), 8);
  EXPECT_EQ(request.options().comment(), "merged");
  EXPECT_TRUE(request.options().validate_only());
  EXPECT_EQ(Run({"domain", "leave", "site", "beta", "--cluster=SITE"}).exit_code, 0);
  EXPECT_EQ(fake_.update_domain.requests().back().leave(0), "beta");
}

TEST_F(DomainsCommandTest, AChangeIsPrintedWithoutControlCharactersOfOthers) {
  fake_.update_domain.Answer([](const auto&, v1::ChangeResponse* response) {
    v1::ConfigurationChange* change = response->add_changes();
    change->set_kind(v1::CHANGE_KIND_UPDATED);
    change->set_object("member alpha\x1b[2J");
    change->set_before("Prices=a\nchanged domain lab");
    change->set_after("Prices=b\r");
    response->set_updated(1);
    response->add_warnings("alpha lacks a\nwarning: \x1b[2J");
    return grpc::Status::OK;
  });
  const Finished joined = Run({"domain", "join", "site", "alpha"});
  EXPECT_EQ(joined.out,
            "changed domain site\n  member alpha\\u001b[2J: Prices=a\\nchanged domain lab -> "
            "Prices=b\\u000d\n");
  EXPECT_EQ(joined.err, "warning: alpha lacks a\\nwarning: \\x1b[2J\n");
}

TEST_F(DomainsCommandTest, AWrongPriceIsAnErrorOfTheCommandLine) {
  for (const char* prices : {"cpu", "cpu=x", "=1", "cpu=1,cpu=2"}) {
    const Finished run = Run({"domain", "join", "site", "alpha", "--prices", prices});
    EXPECT_NE(run.exit_code, 0);
    EXPECT_THAT(run.err, HasSubstr("want TRES=PRICE"));
  }
}

}  // namespace
}  // namespace priorityd
