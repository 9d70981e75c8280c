// Which site factor services are called, and over TLS.
#include "server/api/site_factor/site_factor_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "engine/errors/error_details.h"
#include "tests/server/identity/certificate_authority.h"
#include "tests/server/service/scripted_site_factors.h"
#include "tests/server/service/test_service.h"
#include "tests/storage/test_database.h"

namespace priorityd::rpc {
namespace {

using identity::CertificateAuthority;
using identity::CertificateFiles;
using site_factor::AllowedServices;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Policy(const std::string& plugin) {
  return absl::StrCat("Clock=manual\nPrioritySiteFactorPlugin=", plugin, "\n");
}

// Imports the small site, and lets time pass until its service has been asked about a job.
void Ask(TestService& service, const std::string& plugin) {
  Import(service, SmallSite(Policy(plugin)));
  v1::RecalculateRequest recalculate;
  *recalculate.mutable_as_of() = ToTimestamp(TestEpoch());
  Recalculate(service, recalculate);
  v1::UpdateJobsRequest update;
  update.add_upserts()->set_job_id("1");
  update.mutable_upserts(0)->set_user("amy");
  UpdateJobs(service, update);
  Recalculate(service, recalculate);
}

v1::SiteFactorSource SourceOf(TestService& service) {
  v1::ExplainPriorityRequest request;
  request.mutable_tracked();
  request.set_job_id("1");
  return ExplainPriority(service, request).site_factor_source();
}

TEST(SiteFactorCheckTest, ValuesThatNameNoServicePass) {
  for (const char* value : {"", "(null)", "site_factor/none"}) {
    const std::vector<slurm::SourceFile> files = {
        {"slurm.conf", absl::StrCat("PrioritySiteFactorPlugin = ", value, "\n")}};
    EXPECT_TRUE(CheckSiteFactorPlugin(files, AllowedServices()).ok()) << value;
  }
}

TEST(SiteFactorCheckTest, EachLineThatNamesAServiceIsChecked) {
  const std::vector<slurm::SourceFile> files = {
      {"slurm.conf", "ClusterName=c\nInclude more.conf\nprioritysitefactorplugin=10.0.0.1:1\n"},
      {"more.conf", "PrioritySiteFactorPlugin=site_factor/none\nPrioritySiteFactorPlugin=f:1\n"}};
  const absl::Status status = CheckSiteFactorPlugin(files, AllowedServices());
  const auto violations = errors::ViolationsOf(status);
  ASSERT_THAT(violations, SizeIs(2));
  EXPECT_EQ(violations[0].field, "more.conf line 2");
  EXPECT_THAT(violations[0].description, HasSubstr("PrioritySiteFactorPlugin: got f:1"));
  EXPECT_EQ(violations[1].field, "slurm.conf line 3");
  EXPECT_TRUE(CheckSiteFactorPlugin(files, AllowedServices({"f:1", "10.*:1"})).ok());
  EXPECT_TRUE(CheckSiteFactorPlugin({}, AllowedServices()).ok());
}

TEST(SiteFactorCheckTest, APolicyMayOnlyNameWhatIsAllowed) {
  TestService service({.site_factor_allow = {"*.example.org:7412"}});
  grpc::Status status;
  Import(service, SmallSite(Policy("127.0.0.1:7412")), &status);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).reason, "INVALID_FILE");
  EXPECT_THAT(
      status.error_message(),
      HasSubstr("PrioritySiteFactorPlugin: got 127.0.0.1:7412, which --site_factor_allow of "
                "this service does not allow, want one of *.example.org:7412"));
  Import(service, SmallSite());
  v1::ApplyPolicyRequest request;
  request.set_text("PriorityType=priority/multifactor\n" + Policy("dns:///x.example.org:7412"));
  ApplyPolicy(service, request, &status);
  EXPECT_EQ(status.error_code(), grpc::INVALID_ARGUMENT);
  EXPECT_EQ(DetailsOf(status).Fields(), "slurm.conf line 3");
  request.set_text("PriorityType=priority/multifactor\n" + Policy("x.example.org:7412"));
  ApplyPolicy(service, request, &status);
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST(SiteFactorCheckTest, AStoredPolicyThatNamesWhatIsNotAllowedCallsNobody) {
  const std::string database = storage::NewTestDatabase();
  ScriptedSiteFactors site(50);
  {
    TestService before({.database_url = database});
    Ask(before, site.address());
    ASSERT_THAT(site.requests(), SizeIs(1));
  }
  TestService service({.database_url = database, .site_factor_allow = {"else:1"}});
  v1::RecalculateRequest later;
  *later.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Minutes(5));
  Recalculate(service, later);
  EXPECT_THAT(site.requests(), SizeIs(1));
  EXPECT_THAT(SourceOf(service).failure(),
              HasSubstr("which --site_factor_allow of this service does not allow"));
}

// Those that ask for factors, not for the reason in an explanation.
int CallsOfRounds(ScriptedSiteFactors& site) {
  int calls = 0;
  for (const auto& request : site.requests()) calls += request.explains() ? 0 : 1;
  return calls;
}

class SiteFactorTlsTest : public testing::Test {
 protected:
  // A service with a certificate of `authority_`; with `asks` it asks callers for one.
  std::unique_ptr<ScriptedSiteFactors> Site(bool asks) {
    grpc::SslServerCredentialsOptions options(
        asks ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
             : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE);
    options.pem_root_certs = identity::ReadWholeFile(authority_.certificate());
    options.pem_key_cert_pairs = {
        {identity::ReadWholeFile(files_.key), identity::ReadWholeFile(files_.certificate)}};
    return std::make_unique<ScriptedSiteFactors>(50, grpc::SslServerCredentials(options));
  }

  const CertificateAuthority authority_;
  const CertificateAuthority stranger_;
  const CertificateFiles files_ = authority_.Issue("site", "IP:127.0.0.1");
};

TEST_F(SiteFactorTlsTest, AServiceIsAskedOverTlsWhereItsAuthorityIsTrusted) {
  const auto site = Site(/*asks=*/false);
  TestService trusting({.site_factor_tls = {.ca = authority_.certificate()}});
  Ask(trusting, site->address());
  EXPECT_EQ(CallsOfRounds(*site), 1);
  EXPECT_EQ(SourceOf(trusting).failure(), "");
  for (const std::string& ca : {stranger_.certificate(), std::string()}) {
    TestService doubting({.site_factor_tls = {.ca = ca}});
    Ask(doubting, site->address());
    EXPECT_THAT(SourceOf(doubting).failure(), HasSubstr("UNAVAILABLE"));
    EXPECT_EQ(CallsOfRounds(*site), 1);
  }
}

TEST_F(SiteFactorTlsTest, ACertificateIsShownToAServiceThatAsks) {
  const auto site = Site(/*asks=*/true);
  const CertificateFiles own = authority_.Issue("priorityd", "DNS:priorityd.example.org");
  TestService service({.site_factor_tls = {authority_.certificate(), own.certificate, own.key}});
  Ask(service, site->address());
  EXPECT_EQ(SourceOf(service).failure(), "");
  EXPECT_EQ(CallsOfRounds(*site), 1);
  TestService without({.site_factor_tls = {.ca = authority_.certificate()}});
  Ask(without, site->address());
  EXPECT_THAT(SourceOf(without).failure(), HasSubstr("UNAVAILABLE"));
}

TEST_F(SiteFactorTlsTest, FilesAreReadForEachConnectionAndOnesThatAreGoneCallNobody) {
  const auto site = Site(/*asks=*/false);
  const std::string ca = stranger_.certificate();
  TestService service({.site_factor_tls = {.ca = ca}});
  Ask(service, site->address());
  EXPECT_THAT(SourceOf(service).failure(), HasSubstr("UNAVAILABLE"));
  v1::RecalculateRequest later;
  *later.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Minutes(5));
  std::filesystem::remove(ca);
  Recalculate(service, later);
  EXPECT_THAT(SourceOf(service).failure(), HasSubstr("--site_factor_ca: got " + ca));
  std::filesystem::copy_file(authority_.certificate(), ca);
  *later.mutable_as_of() = ToTimestamp(TestEpoch() + absl::Minutes(10));
  Recalculate(service, later);
  EXPECT_EQ(SourceOf(service).failure(), "");
}

TEST_F(SiteFactorTlsTest, FilesThatCannotBeUsedAreAnErrorThatNamesTheFlag) {
  EXPECT_TRUE(CheckSiteFactorTls({}).ok());
  EXPECT_TRUE(CheckSiteFactorTls({authority_.certificate(), files_.certificate, files_.key}).ok());
  EXPECT_THAT(std::string(CheckSiteFactorTls({.ca = "/none"}).message()),
              HasSubstr("--site_factor_ca: got /none"));
  EXPECT_THAT(
      std::string(CheckSiteFactorTls({authority_.certificate(), "/none", files_.key}).message()),
      HasSubstr("--site_factor_cert: got /none"));
  EXPECT_THAT(std::string(CheckSiteFactorTls(
                              {authority_.certificate(), files_.certificate, files_.certificate})
                              .message()),
              HasSubstr("--site_factor_key"));
}

}  // namespace
}  // namespace priorityd::rpc
