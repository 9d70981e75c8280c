// `prioctl backup`, `import undo` and `cluster restore`, run as a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "tests/client/prioctl/prioctl_fixture.h"

namespace priorityd::prioctl {
namespace {

using testing::HasSubstr;
namespace v1 = ::priority::v1;

class BackupCommandTest : public PrioctlTest {
 protected:
  static void Fill(bool verified, v1::Backup* backup) {
    backup->set_name("priorityd-20260105T000000Z-manual");
    backup->set_bytes(1234567);
    backup->set_schema_version(39);
    backup->mutable_begun_at()->set_seconds(1767571200);
    if (verified) backup->mutable_verified_at()->set_seconds(1767571200);
  }
  void AnswerUndo() {
    fake_.undo_import.Answer(
        [](const v1::UndoImportRequest& request, v1::UndoImportResponse* response) {
          response->set_cluster("orc");
          response->set_import_id(request.import_id() == 0 ? 7 : request.import_id());
          response->set_associations(3);
          response->set_users(1);
          response->set_policy_version(9);
          return grpc::Status::OK;
        });
  }
};

// The files of a site, one of which is included.
void AnswerFiles(const char* included, v1::ExportResponse* response) {
  const std::pair<v1::FileKind, const char*> files[] = {{v1::FILE_KIND_SACCTMGR_DUMP, "orc.cfg"},
                                                        {v1::FILE_KIND_PRIORITYD, "orc.priorityd"},
                                                        {v1::FILE_KIND_SLURM_CONF, "slurm.conf"},
                                                        {v1::FILE_KIND_SLURM_CONF, included}};
  for (const auto& [kind, name] : files) {
    v1::File* file = response->add_files();
    file->set_kind(kind);
    file->set_name(name);
    file->set_content(std::string("of ") + name);
  }
}

TEST_F(BackupCommandTest, ExportWritesEachFileIntoTheFolderAndSaysWhatImportsIt) {
  fake_.export_site.Answer([](const auto&, v1::ExportResponse* response) {
    AnswerFiles("/etc/slurm/../nodes.conf", response);
    return grpc::Status::OK;
  });
  fake_.list_reservations.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "exported";
  std::filesystem::remove_all(folder);
  const std::string at = folder.string() + "/";
  EXPECT_EQ(Output({"export", folder.string()}),
            "prioctl import sacctmgr " + at + "orc.cfg\nprioctl import priorityd " + at +
                "orc.priorityd\nprioctl import slurm-conf " + at + "slurm.conf\n# " + at +
                "nodes.conf is included by slurm.conf as /etc/slurm/../nodes.conf\n");
  std::ifstream written(folder / "orc.priorityd");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), "of orc.priorityd");
  std::ifstream conf(folder / "slurm.conf");
  EXPECT_EQ(
      std::string(std::istreambuf_iterator<char>(conf), {}),
      "# prioctl export wrote /etc/slurm/../nodes.conf as nodes.conf beside this file: change "
      "its Include line before an import.\nof slurm.conf");
  EXPECT_THAT(Failure(1, {"export", folder.string()}),
              HasSubstr("orc.cfg: exists already, want a folder without it"));
}

TEST_F(BackupCommandTest, ExportPrintsTheCommandsThatCreateTheReservationsThatHaveNotEnded) {
  fake_.export_site.Answer([](const auto&, auto*) { return grpc::Status::OK; });
  fake_.list_reservations.Answer([](const auto&, v1::ListReservationsResponse* response) {
    const auto add = [&](const char* name, std::map<std::string, std::string> attributes) {
      v1::Reservation& reservation = *response->add_reservations();
      reservation.set_name(name);
      reservation.mutable_attributes()->insert(attributes.begin(), attributes.end());
    };
    add("old", {{"StartTime", "2020-01-01T00:00:00Z"}, {"EndTime", "2020-01-02T00:00:00Z"}});
    add("course", {{"StartTime", "9990-01-01T00:00:00Z"},
                   {"EndTime", "9990-01-02T00:00:00Z"},
                   {"Duration", "1-00:00:00"},
                   {"Nodes", "n[1-2]"},
                   {"NodeCnt", "2"},
                   {"Users", "-o'neil"},
                   {"Flags", "MAINT,SPEC_NODES"},
                   {"State", "INACTIVE"}});
    add("now", {{"StartTime", "2020-01-01T00:00:00Z"},
                {"EndTime", "9990-01-02T00:00:00Z"},
                {"Nodes", "ALL"},
                {"PartitionName", "p"},
                {"Accounts", "chem"},
                {"State", "ACTIVE"}});
    return grpc::Status::OK;
  });
  const std::string folder = testing::TempDir() + "/reserved";
  EXPECT_EQ(Output({"export", folder}),
            "prioctl scontrol create ReservationName=course StartTime=9990-01-01T00:00:00Z "
            "EndTime=9990-01-02T00:00:00Z 'Nodes=n[1-2]' 'Users=-o'\\''neil' "
            "Flags=MAINT,SPEC_NODES\n"
            "prioctl scontrol create ReservationName=now StartTime=now "
            "EndTime=9990-01-02T00:00:00Z Nodes=ALL PartitionName=p Accounts=chem\n");
}

TEST_F(BackupCommandTest, ExportLeavesSlurmConfAsItIsIfItsIncludesHaveNoFolder) {
  fake_.export_site.Answer([](const auto&, v1::ExportResponse* response) {
    AnswerFiles("nodes.conf", response);
    return grpc::Status::OK;
  });
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "flat";
  std::filesystem::remove_all(folder);
  EXPECT_THAT(Run({"export", folder.string()}).out,
              HasSubstr("nodes.conf is included by slurm.conf\n"));
  std::ifstream conf(folder / "slurm.conf");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(conf), {}), "of slurm.conf");
}

TEST_F(BackupCommandTest, ExportRefusesTwoFilesOfOneName) {
  fake_.export_site.Answer([](const auto&, v1::ExportResponse* response) {
    AnswerFiles("more/slurm.conf", response);
    return grpc::Status::OK;
  });
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "twice";
  std::filesystem::remove_all(folder);
  EXPECT_THAT(Failure(1, {"export", folder.string()}),
              HasSubstr("two files of the cluster have the name slurm.conf"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST_F(BackupCommandTest, UndoNamesTheGrantsAndLeasesOfAnImport) {
  fake_.undo_import.Answer([](const auto&, v1::UndoImportResponse* response) {
    response->set_grants(2);
    response->set_grant_transfers(1);
    response->set_leases(3);
    response->set_user_merges(1);
    response->set_user_aliases(4);
    return grpc::Status::OK;
  });
  EXPECT_THAT(Run({"import", "undo", "--yes"}).out,
              HasSubstr("2 grants, 1 transfer, 3 leases, 1 merged user, 4 aliases\n"));
}

TEST_F(BackupCommandTest, CreateVerifiesIfAsked) {
  fake_.create_backup.Answer([](const v1::CreateBackupRequest& request, v1::Backup* response) {
    Fill(request.verify(), response);
    return grpc::Status::OK;
  });
  EXPECT_EQ(Output({"backup", "create"}),
            "priorityd-20260105T000000Z-manual: 1,234,567 bytes, not verified yet\n");
  const Finished verified = Run({"backup", "create", "--verify"});
  EXPECT_THAT(verified.out, HasSubstr("restored, same content, usage counted again: good"));
}

TEST_F(BackupCommandTest, AFailedCheckIsAnError) {
  fake_.verify_backup.Answer([](const auto&, auto*) {
    return grpc::Status(grpc::DATA_LOSS, "b: association: got 2 1 (rows, digest), want 3 1");
  });
  EXPECT_THAT(Failure(1, {"backup", "verify", "priorityd-20260105T000000Z-manual"}),
              HasSubstr("association: got 2 1"));
  EXPECT_EQ(fake_.verify_backup.requests()[0].name(), "priorityd-20260105T000000Z-manual");
}

TEST_F(BackupCommandTest, ListShowsWhichAreVerified) {
  fake_.list_backups.Answer([](const auto&, v1::ListBackupsResponse* response) {
    Fill(true, response->add_backups());
    Fill(false, response->add_backups());
    response->set_folder("/var/lib/priorityd/backups");
    return grpc::Status::OK;
  });
  const std::string out = Output({"backup", "list"});
  for (const char* text : {"never", "39", "in /var/lib/priorityd/backups on the service's host"}) {
    EXPECT_THAT(out, HasSubstr(text));
  }
  EXPECT_THAT(Run({"backup", "list", "--json"}).out, HasSubstr("\"schemaVersion\""));
}

TEST_F(BackupCommandTest, ListSaysWhyABackupIsDamaged) {
  fake_.list_backups.Answer([](const auto&, v1::ListBackupsResponse* response) {
    Fill(false, response->add_backups());
    v1::Backup* damaged = response->add_backups();
    damaged->set_name("priorityd-20260106T000000Z-import");
    damaged->mutable_begun_at()->set_seconds(1767657600);
    damaged->set_fault("priorityd-20260106T000000Z-import.manifest:1: got \"\", want a value");
    return grpc::Status::OK;
  });
  const Finished run = Run({"backup", "list"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::ContainsRegex("Z-manual .* 1,234,567 +39 never\n"));
  EXPECT_THAT(run.out,
              testing::ContainsRegex("Z-import .* damaged\n"
                                     "damaged: priorityd-20260106T000000Z-import.manifest:1: got"));
}

TEST_F(BackupCommandTest, UndoShowsWhatAndAsks) {
  AnswerUndo();
  EXPECT_THAT(
      Failure(1, {"import", "undo"}),
      HasSubstr(
          "Undo import 7 of cluster orc (3 associations, 1 user, the policy, as version 9)?"));
  const std::string done =
      Output({"import", "undo", "--import", "5", "--comment", "wrong", "--yes"});
  EXPECT_THAT(done, HasSubstr("undid import 5 of cluster orc"));
  EXPECT_THAT(done, HasSubstr("the policy, as version 9"));
  const auto requests = fake_.undo_import.requests();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_TRUE(requests[0].validate_only());
  EXPECT_FALSE(requests[1].validate_only());
  EXPECT_EQ(requests[1].comment(), "wrong");
}

TEST_F(BackupCommandTest, AClusterIsRestoredByItsName) {
  fake_.restore_cluster.Answer([](const v1::RestoreClusterRequest& request, v1::Cluster* response) {
    response->set_name(request.name());
    return grpc::Status::OK;
  });
  EXPECT_EQ(Output({"cluster", "restore", "orc"}), "restored cluster orc\n");
}

TEST_F(BackupCommandTest, ADeletionSaysUntilWhenItIsRestored) {
  fake_.delete_cluster.Answer(
      [](const v1::DeleteClusterRequest& request, v1::DeleteClusterResponse* response) {
        if (!request.purge()) response->mutable_restorable_until()->set_seconds(1767571200);
        return grpc::Status::OK;
      });
  const Finished run = Run({"cluster", "delete", "orc", "--yes"});
  EXPECT_THAT(run.out, HasSubstr("`prioctl cluster restore orc` restores it"));
  const Finished purge = Run({"cluster", "delete", "orc", "--yes", "--purge"});
  EXPECT_THAT(purge.out, testing::Not(HasSubstr("restore")));
  fake_.list_clusters.Answer(
      [](const v1::ListClustersRequest& request, v1::ListClustersResponse* response) {
        EXPECT_TRUE(request.deleted());
        v1::Cluster* cluster = response->add_clusters();
        cluster->set_name("orc");
        cluster->mutable_restorable_until()->set_seconds(1767571200);
        return grpc::Status::OK;
      });
  EXPECT_THAT(Run({"cluster", "list", "--deleted"}).out, HasSubstr("RESTORABLE UNTIL"));
}

}  // namespace
}  // namespace priorityd::prioctl
