// Races that ThreadSanitizer does not report, in whatever folder a binary runs: accesses to our
// memory by Debian's libraries, which are not instrumented.
extern "C" const char* __tsan_default_suppressions() {
  return "race_top:libgrpc\n"
         "race_top:libgpr\n"
         "race_top:libabsl\n"
         "race_top:libprotobuf\n"
         "race_top:^grpc::\n"
         "race_top:^grpc_\n"
         "race_top:^google::protobuf\n"
         "race_top:^operator delete\n"
         "race_top:^operator new\n"
         "race_top:^priority::v1::\n"
         // Beside its making, from which libgrpc hands it to another thread.
         "race:^grpc::internal::ServerCallbackCall::Unref\n"
         // A call's request may be read on another thread than the call was made on.
         "race:^priorityd::rpc::RequestCall::OnReadDone\n"
         // The same in a binary without debug information, which does not name what was inlined.
         "race_top:^std::_Function_handler<void (bool), grpc::internal::\n"
         // Unlocking evaluates the conditions of waiting threads while the mutex is still held.
         "race:^absl::debian3::Mutex::UnlockSlow\n"
         "race_top:^std::function\n"
         "race_top:^std::_Function_base\n"
         "race_top:^std::enable_if\n"
         // A test and its scripted server take turns by prioctl, another process, whose end orders
         // them.
         "race:priorityd::ScriptedAdmin\n";
}
