// prioctl grant with money of price books.
#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// 2,189.99 EUR are available, 2,190 are used, 1.5 may be used by running jobs.
v1::Grant GrantOfMoney() {
  v1::Grant grant;
  grant.set_name("chem-2026");
  (*grant.mutable_attributes())["Accounts"] = "chem";
  (*grant.mutable_attributes())["TRES"] = "price/academic";
  grant.set_state(v1::GRANT_STATE_EXHAUSTED);
  grant.set_currency("EUR");
  grant.set_running_minutes(90);
  grant.set_running_tres_seconds("5400.0000000000036");
  v1::GrantBalance& window = *grant.mutable_balance();
  window.mutable_begin_time()->set_seconds(1790812800);
  window.set_granted_minutes(120000);
  window.set_carried_minutes(12000);
  window.set_transferred_minutes(-600.5);
  window.set_available_minutes(131399.5);
  window.set_used_minutes(131400);
  window.set_used_tres_seconds("7884000.0000000000036");
  window.set_left_minutes(-0.5);
  return grant;
}

class GrantMoneyTest : public PrioctlTest {
 protected:
  GrantMoneyTest() {
    fake_.list_grants.Answer([](const auto&, v1::ListGrantsResponse* response) {
      *response->add_grants() = GrantOfMoney();
      return grpc::Status::OK;
    });
    fake_.get_grant_statement.Answer([](const auto&, v1::GetGrantStatementResponse* response) {
      *response->mutable_grant() = GrantOfMoney();
      *response->add_windows() = GrantOfMoney().balance();
      return grpc::Status::OK;
    });
  }
};

TEST_F(GrantMoneyTest, AmountsAreInTheCurrency) {
  EXPECT_THAT(Output({"grant", "list"}),
              AllOf(ContainsRegex("2,000 EUR +2,189.99 EUR +2,190 EUR +-0.01 EUR +1.5 EUR +exh"),
                    HasSubstr("in TRES-minutes, those of price books in their currency; ")));
  EXPECT_THAT(Output({"grant", "show", "chem-2026"}),
              AllOf(ContainsRegex("AMOUNT +EUR +MEANING"),
                    ContainsRegex("running +1.5 +what running jobs may still cost")));
  EXPECT_THAT(Output({"grant", "statement", "chem-2026"}),
              AllOf(HasSubstr("of chem, price/academic, in EUR: exhausted"),
                    ContainsRegex("2,000 +200 +0 +-10.01 +2,189.99 +2,190 +-0.01")));
}

TEST_F(GrantMoneyTest, ScriptsGetExactNumbers) {
  EXPECT_THAT(Output({"grant", "list", "-P"}),
              HasSubstr("|2000|2189.991667|2190.000000000000001|-0.008333|1.500000000000001|exh"));
}

TEST_F(GrantMoneyTest, ATransferMovesAnAmountInTheCurrencyToTheLastDigit) {
  fake_.transfer_grant.Answer([](const auto&, v1::ChangeResponse* response) {
    response->set_updated(2);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Output({"grant", "transfer", "chem-2026", "phys", "--amount", "200000000.01"}),
              StartsWith("moved 200000000.01 EUR from grant chem-2026 to grant phys\n"));
  EXPECT_EQ(fake_.transfer_grant.requests().back().amount_tres_seconds(), "720000000036");
  EXPECT_EQ(fake_.transfer_grant.requests().back().amount_minutes(), 0);
  EXPECT_THAT(Failure(2, {"grant", "transfer", "chem-2026", "phys", "--amount", "200h"}),
              HasSubstr("--amount: got \"200h\", want an amount of the currency"));
  EXPECT_THAT(Failure(1, {"grant", "revoke", "chem-2026"}),
              HasSubstr("It ends now with -0.01 of 2,189.99 EUR left"));
}

}  // namespace
}  // namespace priorityd
