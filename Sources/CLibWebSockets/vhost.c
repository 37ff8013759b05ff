#define _GNU_SOURCE
#include "log.h"
#include "postern_lws.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

const size_t postern_write_headroom = LWS_PRE;
const enum lws_write_protocol postern_write_close = (enum lws_write_protocol)4;

static postern_callback receiver;
static void (*error_log)(int level, const char *line);

void postern_set_callback(postern_callback callback) { receiver = callback; }

_Thread_local int postern_lines_unheard;

// The library logs two lines as errors that are none. It logs one for each connection that is handed over. From 4.3 on it logs
// one for each loop that may not watch the system's routes, as in a unit without the address family for it.
// Postern does not ask for that.
static void write_log(int level, const char *line) {
  char copy[256];

  if (postern_lines_unheard > 0) {
    postern_lines_unheard--;
    return;
  }
  // The library's own is all threads'.
  strncpy(copy, line, sizeof(copy) - 1);
  copy[sizeof(copy) - 1] = 0;
  if (strstr(copy, "unable to open netlink")) return;
  if (error_log) error_log(level, copy);
}

void postern_set_error_log(void (*log)(int level, const char *line)) {
  error_log = log;
  lws_set_log_level(log ? LLL_ERR : 0, log ? write_log : NULL);
}

// The argument that postern_vhost_visit() passes through the library to each connection.
struct visit {
  void (*each)(void *endpoint, void *visitor);
  void *visitor;
};

static int forward(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t len) {
  switch (reason) {
  case LWS_CALLBACK_USER: {
    const struct visit *visit = in;
    void *endpoint = lws_get_opaque_user_data(wsi);
    if (endpoint) visit->each(endpoint, visit->visitor);
    return 0;
  }
  case LWS_CALLBACK_RAW_ADOPT:
    // A CONNECT would become a raw socket without any timeout.
    return -1;
  case LWS_CALLBACK_WSI_DESTROY:
    // The error that ended a connection stays in OpenSSL's queue of this thread, and would fail the next handshake on it.
    ERR_clear_error();
    return receiver(wsi, (int)reason, user, in, len);
  case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
    // Everything that can fail in handing a connection over has been logged by now. Next the library logs received
    // bytes as an error.
    postern_lines_unheard = 1;
    return receiver(wsi, (int)reason, user, in, len);
  // In other callbacks, the ones that OpenSSL causes pass something else as `user`.
  case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
  case LWS_CALLBACK_ADD_HEADERS:
  case LWS_CALLBACK_ESTABLISHED:
  case LWS_CALLBACK_RECEIVE:
  case LWS_CALLBACK_RECEIVE_PONG:
  case LWS_CALLBACK_SERVER_WRITEABLE:
  case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
  case LWS_CALLBACK_WS_SERVER_DROP_PROTOCOL:
  case LWS_CALLBACK_CLOSED:
    return receiver(wsi, (int)reason, user, in, len);
  default:
    return 0;
  }
}

struct postern_vhost {
  struct lws_vhost *vhost;
  struct lws_protocols protocols[2];
  char name[128];
  char *certificate_path;
  char *key_path;
};

// Postern's own data of a context, returned by lws_context_user().
struct context_extras {
  int eventfd;
#if LWS_LIBRARY_VERSION_NUMBER >= 4003000
  lws_log_cx_t log;
#endif
};

// From 4.3 on the library counts its objects in their log context, without a lock, and aborts if the count is wrong.
// One context serves the whole process, unless each context has its own, which only its thread uses.
static void give_log(struct lws_context_creation_info *info, struct context_extras *extras) {
#if LWS_LIBRARY_VERSION_NUMBER >= 4003000
  extras->log.u.emit = write_log;
  extras->log.lll_flags = LLL_ERR;
  info->log_cx = &extras->log;
#else
  (void)info, (void)extras;
#endif
}

static int is_counted_on(const struct context_extras *extras) {
#if LWS_LIBRARY_VERSION_NUMBER >= 4003000
  return extras->log.refcount != 0;
#else
  return (void)extras, 0;
#endif
}

// No validity pings: the library keeps timers in one list, linear to insert.
static const lws_retry_bo_t no_retry;

static int has_initialised_tls;

struct lws_context *postern_context_create(const struct postern_context_settings *settings) {
  struct lws_context_creation_info info;
  struct lws_context *context;
  struct context_extras *extras = calloc(1, sizeof(*extras));
  void *loops[1] = {settings->loop};

  if (!extras) return NULL;
  memset(&info, 0, sizeof(info));
  info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
  info.user = extras;
  give_log(&info, extras);
  // The receiver checks text for UTF-8: the library can check only all connections or none.
  info.options = LWS_SERVER_OPTION_LIBEV | LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
  // Each time the library changes a process-wide index, and TLS handshakes that are under way then fail: once only.
  if (!has_initialised_tls) info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
  has_initialised_tls = 1;
  info.foreign_loops = loops;
  info.gid = (gid_t)-1;
  info.uid = (uid_t)-1;
  info.timeout_secs = settings->handshake_seconds;
  info.connect_timeout_secs = settings->handshake_seconds;
  info.max_http_header_data = settings->header_bytes;
  info.retry_and_idle_policy = &no_retry;
  context = postern_lws_create_context(&info, settings->descriptors_max, &extras->eventfd);
  if (!context) free(extras);
  return context;
}

void postern_context_destroy(struct lws_context *context) {
  struct context_extras *extras = lws_context_user(context);

  postern_lws_destroy_context(context, extras->eventfd);
  // The library may still decrement the reference count in `extras`, for objects that it has not ended yet.
  if (!is_counted_on(extras)) free(extras);
}

struct postern_vhost *postern_vhost_create(struct lws_context *context, const struct postern_vhost_settings *settings) {
  struct lws_context_creation_info info;
  struct postern_vhost *vhost = calloc(1, sizeof(*vhost));

  if (!vhost) return NULL;
  strncpy(vhost->name, settings->name, sizeof(vhost->name) - 1);
  vhost->protocols[0].name = "postern";
  vhost->protocols[0].callback = forward;
  vhost->protocols[0].rx_buffer_size = settings->rx_buffer_bytes;
  // Else a write is cut to the size of the receive buffer.
  vhost->protocols[0].tx_packet_size = 1 << 24;
  memset(&info, 0, sizeof(info));
  give_log(&info, lws_context_user(context));
  info.port = CONTEXT_PORT_NO_LISTEN_SERVER;
  info.vhost_name = vhost->name;
  info.protocols = vhost->protocols;
  info.retry_and_idle_policy = &no_retry;
  info.user = settings->user;
  info.timeout_secs_ah_idle = settings->handshake_seconds;
  info.gid = (gid_t)-1;
  info.uid = (uid_t)-1;
  if (settings->certificate_path) {
    vhost->certificate_path = strdup(settings->certificate_path);
    vhost->key_path = strdup(settings->key_path);
    info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT;
    info.ssl_cert_filepath = vhost->certificate_path;
    info.ssl_private_key_filepath = vhost->key_path;
    info.alpn = "http/1.1";
  } else if (settings->takes_tls) {
    info.options |= LWS_SERVER_OPTION_DO_SSL_GLOBAL_INIT | LWS_SERVER_OPTION_CREATE_VHOST_SSL_CTX;
  }
  vhost->vhost = lws_create_vhost(context, &info);
  if (!vhost->vhost) {
    postern_vhost_free(vhost);
    return NULL;
  }
  return vhost;
}

void postern_vhost_visit(struct postern_vhost *vhost, void (*each)(void *endpoint, void *visitor), void *visitor) {
  struct visit visit = {each, visitor};

  lws_callback_all_protocol_vhost_args(vhost->vhost, NULL, LWS_CALLBACK_USER, &visit, sizeof(visit));
}

void postern_vhost_destroy(struct postern_vhost *vhost) {
  lws_vhost_destroy(vhost->vhost);
  postern_vhost_free(vhost);
}

void postern_vhost_free(struct postern_vhost *vhost) {
  if (!vhost) return;
  free(vhost->certificate_path);
  free(vhost->key_path);
  free(vhost);
}

struct lws_vhost *postern_vhost_lws(struct postern_vhost *vhost) { return vhost->vhost; }

int postern_accept(int listening) { return accept4(listening, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

void postern_kill(struct lws *wsi) { lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC); }
