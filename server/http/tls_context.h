// TLS of an HTTPS listener.
#ifndef PRIORITYD_SERVER_HTTP_TLS_CONTEXT_H_
#define PRIORITYD_SERVER_HTTP_TLS_CONTEXT_H_

#include <openssl/ssl.h>

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "server/files/file_stamp.h"

namespace priorityd::http {

// PEM files.
struct TlsFiles {
  std::string certificate;  // The chain, the server's certificate first. Empty = no TLS.
  std::string key;
  std::string client_ca;  // Clients must present a certificate signed by one of these; empty = they
                          // need none.
};

// TLS 1.2 or later. Reads its files again when they change, checked at most once a second; while
// new files are invalid, the previous ones stay in force. Thread-safe.
class TlsContext {
 public:
  // FAILED_PRECONDITION if a file is invalid.
  static absl::StatusOr<std::unique_ptr<TlsContext>> Open(const TlsFiles& files);

  // For new connections.
  std::shared_ptr<SSL_CTX> Newest() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  TlsContext(TlsFiles files, std::shared_ptr<SSL_CTX> context, files::FileStamps stamps);

  const TlsFiles files_;
  absl::Mutex mutex_;
  std::shared_ptr<SSL_CTX> context_ ABSL_GUARDED_BY(mutex_);
  files::FileStamps stamps_ ABSL_GUARDED_BY(mutex_);  // Taken before reading the files.
  absl::Time look_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace priorityd::http

#endif  // PRIORITYD_SERVER_HTTP_TLS_CONTEXT_H_
