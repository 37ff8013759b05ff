#ifndef POSTERN_LWS_H
#define POSTERN_LWS_H

#include <libwebsockets.h>
#include <malloc.h>
#include <openssl/ssl.h>
#include <sys/types.h>

/// Space that lws_write() needs before a payload (LWS_PRE, a macro Swift does not import).
extern const size_t postern_write_headroom;

/// Writes a close frame with lws_write(). Not in the library's public header, which wants lws_close_reason() used; but
/// in its implementation, versions 4.1 to 4.3 alike, and the one way to close without its timers.
extern const enum lws_write_protocol postern_write_close;

/// Told of everything that happens to a wsi; the meaning of `reason` is that of enum lws_callback_reasons.
typedef int (*postern_callback)(struct lws *wsi, int reason, void *user, void *in, size_t len);

/// The one receiver of callbacks in the process; set before the first context is made.
void postern_set_callback(postern_callback callback);

/// Sends the library's errors, and nothing else, to `log`; NULL silences it.
void postern_set_error_log(void (*log)(int level, const char *line));

/// The settings of a context.
struct postern_context_settings {
  struct ev_loop *loop;
  /// Seconds for a handshake, from accept to its end.
  unsigned handshake_seconds;
  /// Bytes of one request head.
  unsigned short header_bytes;
  /// The length of the library's table of descriptors, from number 0. At least 1; the library takes no descriptor above.
  int descriptors_max;
};

/// A context without vhosts on a foreign libev loop; NULL if it cannot be made. By one thread at a time.
struct lws_context *postern_context_create(const struct postern_context_settings *settings);

/// Ends the context and closes what it has left open. By one thread at a time, and never from inside a callback.
void postern_context_destroy(struct lws_context *context);

/// lws_create_context() with a table of `descriptors_max` descriptors, and which eventfd it opened; -1 if none.
struct lws_context *postern_lws_create_context(const struct lws_context_creation_info *info, int descriptors_max,
                                               int *eventfd);
/// lws_context_destroy(), and that eventfd closed.
void postern_lws_destroy_context(struct lws_context *context, int eventfd);

/// The settings of a virtual host. All pointers are copied.
struct postern_vhost_settings {
  const char *name;
  /// PEM files, NULL for plain text.
  const char *certificate_path;
  const char *key_path;
  /// Without files: whether connections come with a TLS session all the same.
  int takes_tls;
  size_t rx_buffer_bytes;
  /// Seconds for a request head, from accept to its end.
  unsigned handshake_seconds;
  void *user;
};

/// A vhost and what must live as long as it does.
struct postern_vhost;

struct postern_vhost *postern_vhost_create(struct lws_context *context, const struct postern_vhost_settings *settings);

/// Calls `each` with the user pointer of every WebSocket of the vhost. `each` must not end a WebSocket.
void postern_vhost_visit(struct postern_vhost *vhost, void (*each)(void *endpoint, void *visitor), void *visitor);

/// Ends the vhost and frees its memory. Call it only after the library has reported the end of the vhost's last
/// connection, and never from inside a callback: otherwise the library keeps the vhost until the context ends, and
/// reads freed memory.
void postern_vhost_destroy(struct postern_vhost *vhost);

/// Gives back the memory; call after the context is gone.
void postern_vhost_free(struct postern_vhost *vhost);

struct lws_vhost *postern_vhost_lws(struct postern_vhost *vhost);

/// Hands a connection over to the vhost: the descriptor, the TLS session if there is one, and `count` received bytes.
/// The first `head` of them are the upgrade request that the library is shown. SERVER_NEW_CLIENT_INSTANTIATED is called
/// inside this call. The library owns all of it afterwards. NULL if the connection has ended in between.
struct lws *postern_adopt(struct postern_vhost *vhost, int fd, SSL *session, const char *bytes, size_t count,
                          size_t head);

/// Whether the library calls the functions of interposition.c. Without them nothing is served: they must be linked into
/// the executable itself, ahead of libwebsockets.
int postern_interposition_works(void);

/// Between these two calls this thread reads for the library, and what it read last is kept for postern_close_code().
void postern_begin_reading(void);
/// Forgets all of this thread's descriptors; before the thread ends.
void postern_end_reading(void);

/// Returns the code of a received close frame that the library reports as 1002, if it is one of 1012 to 1014, which the
/// library does not know; else -1. Call it from inside its callback; `payload` is the library's, with the code first.
int postern_close_code(int fd, const unsigned char *payload, size_t size);

/// How a TLS handshake ended.
enum postern_tls_end {
  postern_tls_done,
  postern_tls_plain_text,
  postern_tls_ended,
  postern_tls_alert,
  postern_tls_untrusted,
  postern_tls_wrong_name,
  postern_tls_expired,
  postern_tls_not_yet_valid,
  postern_tls_bad_certificate,
  postern_tls_client_unwelcome,
  postern_tls_failed,
};

/// Told that a pong is being written, and asked whether it may go out, from inside the library's write; `user` is that of the
/// connection, `payload` that of the pong and so of the ping. 0: it is left out, and the library believes it written.
typedef int (*postern_ping_judge)(void *user, const unsigned char *payload, size_t size);
/// The one judge of pings in the process; set before the first context is made.
void postern_set_ping_judge(postern_ping_judge judge);

/// Told of a ping of a watched connection, with its payload, from inside the library's read; everything before the ping has been
/// handled. Nothing may be written then.
typedef void (*postern_ping_listener)(void *user, const unsigned char *payload, size_t size);
/// The one listener in the process; set before the first context is made.
void postern_set_ping_listener(postern_ping_listener listener);
/// Watches the pings of an adopted connection, from its first frame on: call it in LWS_CALLBACK_ESTABLISHED.
void postern_watch_pings(int fd, void *user);
/// Ends that; before the connection is gone.
void postern_unwatch_pings(int fd);
/// Returns whether a ping came with the head of the handshake, or cannot be told of for lack of memory. It answers so once; the
/// judge of pings hears of such a ping.
int postern_take_early_ping(int fd);

/// Asked from inside the library's write whether the close frame that is being written may go out; `user` is that of the
/// connection. 0: it is left out, and the library believes it written.
typedef int (*postern_close_judge)(void *user);
/// The one judge of close frames in the process; set before the first context is made.
void postern_set_close_judge(postern_close_judge judge);

/// accept4(), non-blocking and closed on exec; Swift's Glibc has it not.
int postern_accept(int listening);

/// Closes the connection now, with all callbacks. Never from inside a callback of this wsi.
void postern_kill(struct lws *wsi);

/// Sends the peer a TCP reset now, and nothing more, not even TLS's closing alert. The library must still be told.
void postern_reset(struct lws *wsi);

/// Has the next close() of the descriptor send the peer a TCP reset, and drop what waits.
void postern_reset_on_close(int fd);

/// Keeps the connection when its wsi ends, which the library must be about to close. Returns the descriptor, which the
/// caller owns from then on. The peer receives nothing.
int postern_keep(struct lws *wsi);

/// Returns whether the peer has ended the connection, or its sending side, while nothing reads from it.
int postern_peer_has_gone(int fd);

/// A certificate chain with its key, read and checked.
struct postern_certificate;

/// Reads PEM files; NULL with the reason in `error`.
struct postern_certificate *postern_certificate_read(const char *certificate_path, const char *key_path, char *error,
                                                     size_t error_size);
/// Makes the context present this certificate from the next handshake on. 0, or -1 with the old one kept.
int postern_certificate_apply(const struct postern_certificate *certificate, SSL_CTX *context);
/// The certificate and its key; both stay the owner's.
X509 *postern_certificate_leaf(const struct postern_certificate *certificate);
EVP_PKEY *postern_certificate_key(const struct postern_certificate *certificate);
void postern_certificate_free(struct postern_certificate *certificate);

/// Makes a private authority, valid for `seconds`, whose critical name constraints allow only `names`. Writes two new files with
/// mode 0600. Returns 0, or -1 with the reason in `error`.
int postern_authority_create(const char *const *names, size_t count, long seconds, const char *certificate_path,
                             const char *key_path, char *error, size_t error_size);
/// Returns 0 if the certificate is an authority with critical name constraints, else -1.
int postern_authority_check(const struct postern_certificate *authority);
/// Returns the context of TLS servers with a new certificate for `names`, signed by the authority; NULL with the reason in
/// `error`, e.g. if the authority's name constraints do not allow one of the names.
SSL_CTX *postern_authority_context(const struct postern_certificate *authority, const char *const *names, size_t count,
                                   char *error, size_t error_size);

/// Returns the context of TLS clients that trust the system's certificates or, with `allows_untrusted`, every certificate.
SSL_CTX *postern_tls_client_context(int allows_untrusted);
/// Makes the context trust only the certificates in the PEM file `path`. Returns 0, or -1 with the reason in `error`.
int postern_tls_client_trust(SSL_CTX *context, const char *path, char *error, size_t error_size);
/// A TLS client on a non-blocking descriptor, for a host by name or address.
SSL *postern_tls_client(SSL_CTX *context, int fd, const char *host);
/// Says why the last step failed, and forgets it.
enum postern_tls_end postern_tls_explain(SSL *ssl, char *text, size_t size);
/// Returns the kind of failure of a handshake's last error. Does not change OpenSSL's error queue.
enum postern_tls_end postern_tls_classify(SSL *ssl);
/// Translates OpenSSL's result code of a verification.
enum postern_tls_end postern_tls_verification(long result);

/// The server's side of TLS on a non-blocking descriptor; NULL if OpenSSL has no memory.
SSL *postern_tls_server(SSL_CTX *context, int fd);
/// The results of a step that moves no bytes.
enum { postern_tls_wants_read = -1, postern_tls_wants_write = -2, postern_tls_broken = -3 };
/// Goes on with the handshake. 1 when it is done; if it is broken, `end` says how.
int postern_tls_accept(SSL *ssl, enum postern_tls_end *end);
/// How many bytes came, 0 at the end that the peer announced, or one of the above.
ssize_t postern_tls_read(SSL *ssl, void *buffer, size_t size);
/// How many bytes went, or one of the above.
ssize_t postern_tls_write(SSL *ssl, const void *bytes, size_t size);
/// Announces our end, if that can be sent at once.
void postern_tls_end_sending(SSL *ssl);

#endif
