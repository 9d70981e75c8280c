# find_package(priorityd): the target priorityd::client. C++17 or later.
include(CMakeFindDependencyMacro)
find_dependency(absl CONFIG)
find_dependency(gRPC CONFIG)

if(NOT TARGET priorityd::client)
  # The folder of this file decides: the package may be unpacked anywhere.
  get_filename_component(_priorityd_lib "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  get_filename_component(_priorityd_include "${CMAKE_CURRENT_LIST_DIR}/@INCLUDE@" ABSOLUTE)
  add_library(priorityd::client STATIC IMPORTED)
  set_target_properties(priorityd::client PROPERTIES
    IMPORTED_LOCATION "${_priorityd_lib}/libpriorityd-client.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_priorityd_include}"
    INTERFACE_COMPILE_FEATURES cxx_std_17
    INTERFACE_LINK_LIBRARIES "gRPC::grpc++;protobuf::libprotobuf;absl::cord;absl::flat_hash_map;absl::function_ref;absl::status;absl::statusor;absl::strings;absl::synchronization;absl::time;munge")
  unset(_priorityd_lib)
  unset(_priorityd_include)
endif()
