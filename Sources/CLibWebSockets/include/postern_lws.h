#ifndef POSTERN_LWS_H
#define POSTERN_LWS_H

#include <libwebsockets.h>
#include <openssl/ssl.h>

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

/// What a context must know.
struct postern_context_settings {
  struct ev_loop *loop;
  /// Seconds for a handshake, from accept to its end.
  unsigned handshake_seconds;
  /// Bytes of one request head.
  unsigned short header_bytes;
};

/// A context without vhosts on a foreign libev loop; NULL if it cannot be made. By one thread at a time.
struct lws_context *postern_context_create(const struct postern_context_settings *settings);

/// What a virtual host must know. All pointers are copied.
struct postern_vhost_settings {
  const char *name;
  /// PEM files, NULL for plain text.
  const char *certificate_path;
  const char *key_path;
  /// Whether the vhost dials rather than serves.
  int is_client;
  /// Whether it dials IPv4 only, which a source address of that family needs.
  int is_ipv4_only;
  size_t rx_buffer_bytes;
  /// Seconds for a request head, from accept to its end.
  unsigned handshake_seconds;
  void *user;
};

/// A vhost and what must live as long as it does.
struct postern_vhost;

struct postern_vhost *postern_vhost_create(struct lws_context *context, const struct postern_vhost_settings *settings);

/// Gives back the memory; call after the context is gone.
void postern_vhost_free(struct postern_vhost *vhost);

struct lws_vhost *postern_vhost_lws(struct postern_vhost *vhost);

/// Hands an accepted descriptor to the vhost; `opaque` is found by lws_get_opaque_user_data(). NULL, and the
/// descriptor closed, if there is no room.
struct lws *postern_adopt(struct postern_vhost *vhost, int fd, void *opaque);

/// Whether the library calls the functions of interposition.c. Without them nothing is served: they must be linked into
/// the executable itself, ahead of libwebsockets.
int postern_interposition_works(void);

/// Room that a stand-in for a head may take; see postern_head_receiver.
extern const size_t postern_stand_in_bytes_max;

/// Reads the head of a request in front of the library: is given `count` bytes as they came, over TLS decrypted, in a
/// buffer of `size` bytes. Returns 0 while the head is not whole; else writes a stand-in to the front of the buffer,
/// behind it what had come after the head, and returns the length of both. `user` is the one given with the descriptor.
typedef size_t (*postern_head_receiver)(void *user, void *buffer, size_t count, size_t size);
/// The one receiver of heads in the process; set before the first is awaited.
void postern_set_head_receiver(postern_head_receiver receiver);

/// What is read from the descriptor by this thread goes to the receiver until postern_forget_head(). -1 without memory.
int postern_await_head(int fd, void *user);
/// Forgets the descriptor, unless somebody else awaits its head by now.
void postern_forget_head(int fd, void *user);
/// Forgets all of this thread's descriptors; before the thread ends.
void postern_forget_heads(void);

/// Told that the library is about to answer a ping, from inside its write; `user` is that of the connection.
typedef void (*postern_ping_receiver)(void *user);
/// The one receiver of pings in the process; set before the first context is made.
void postern_set_ping_receiver(postern_ping_receiver receiver);

/// accept4(), non-blocking and closed on exec; Swift's Glibc has it not.
int postern_accept(int listening);

/// Closes the connection now, with all callbacks. Never from inside a callback of this wsi.
void postern_kill(struct lws *wsi);

/// Forgets the library's own timeout of the connection.
void postern_clear_timeout(struct lws *wsi);

/// What a client connection must know. Everything is copied.
struct postern_dial_settings {
  struct lws_context *context;
  struct postern_vhost *vhost;
  const char *host;
  int port;
  const char *path;
  const char *host_header;
  /// Offered subprotocols, comma-separated; NULL for none.
  const char *subprotocols;
  /// A local address, NULL for the system's choice.
  const char *source;
  int is_tls;
  int allows_untrusted;
  void *user;
};

/// Begins to dial; NULL if it failed at once.
struct lws *postern_dial(const struct postern_dial_settings *settings);

/// A certificate chain with its key, read and checked.
struct postern_certificate;

/// Reads PEM files; NULL with the reason in `error`.
struct postern_certificate *postern_certificate_read(const char *certificate_path, const char *key_path, char *error,
                                                     size_t error_size);
/// Makes the context present this certificate from the next handshake on. 0, or -1 with the old one kept.
int postern_certificate_apply(const struct postern_certificate *certificate, SSL_CTX *context);
void postern_certificate_free(struct postern_certificate *certificate);

/// What a TLS client trusts: what the system trusts, or everything.
SSL_CTX *postern_tls_client_context(int allows_untrusted);
/// A TLS client on a non-blocking descriptor, for a host by name or address.
SSL *postern_tls_client(SSL_CTX *context, int fd, const char *host);
/// Says why the last step failed, and forgets it.
void postern_tls_explain(SSL *ssl, char *text, size_t size);

#endif
