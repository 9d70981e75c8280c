#include "tests/end_to_end/import_site.h"

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

namespace priorityd {

namespace v1 = ::priority::v1;

void ImportSite(v1::AdminService::Stub& admin, const std::string& slurm_conf,
                const std::string& dump) {
  v1::ImportRequest request;
  const auto add = [&request](v1::FileKind kind, const char* name, const std::string& content) {
    v1::File* file = request.add_files();
    file->set_kind(kind);
    file->set_name(name);
    file->set_content(content);
  };
  add(v1::FILE_KIND_SLURM_CONF, "slurm.conf", slurm_conf);
  add(v1::FILE_KIND_SACCTMGR_DUMP, "dump", dump);
  grpc::ClientContext context;
  v1::ImportResponse response;
  const grpc::Status status = admin.Import(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
}

}  // namespace priorityd
