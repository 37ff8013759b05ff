// uWebSockets with the wire and the token check of tuned.c: one thread, answers written at once, nothing else parsed, no
// session kept, no compression, no pings.
//
// uWebSockets is C++, and Debian has no package of it. The package socketify of PyPI contains it as a library with C
// functions. The declarations here are the same as in that package, 0.0.31, for Python. Its event loop is libuv's.
//
// Usage: uwebsockets SECRET_FILE. It listens on a free port of loopback, and prints the port in its first line. On SIGUSR1 it
// prints its counters.
#define _GNU_SOURCE
#include <stdbool.h>

#include "refresh.h"

struct us_listen_socket_t;
typedef struct uws_app_s uws_app_t;
typedef struct uws_websocket_s uws_websocket_t;
typedef enum { UWS_TEXT = 1 } uws_opcode_t;
typedef void (*uws_websocket_handler)(uws_websocket_t *, void *);

struct us_socket_context_options_t {
  const char *key_file_name, *cert_file_name, *passphrase, *dh_params_file_name, *ca_file_name, *ssl_ciphers;
  int ssl_prefer_low_memory_usage;
};

typedef struct {
  int port;
  const char *host;
  int options;
} uws_app_listen_config_t;

typedef struct {
  int compression;
  unsigned maxPayloadLength;
  unsigned short idleTimeout;
  unsigned maxBackpressure;
  bool closeOnBackpressureLimit, resetIdleTimeoutOnSend, sendPingsAutomatically;
  unsigned short maxLifetime;
  void (*upgrade)(void *response, void *request, void *context, void *);
  uws_websocket_handler open;
  void (*message)(uws_websocket_t *, const char *, size_t, uws_opcode_t, void *);
  uws_websocket_handler drain;
  void (*ping)(uws_websocket_t *, const char *, size_t, void *);
  void (*pong)(uws_websocket_t *, const char *, size_t, void *);
  void (*close)(uws_websocket_t *, int code, const char *, size_t, void *);
  void (*subscription)(uws_websocket_t *, const char *, size_t, int, int, void *);
} uws_socket_behavior_t;

uws_app_t *uws_create_app(int ssl, struct us_socket_context_options_t);
void uws_ws(int ssl, uws_app_t *, const char *pattern, uws_socket_behavior_t, void *);
void uws_app_listen_with_config(
    int ssl, uws_app_t *, uws_app_listen_config_t,
    void (*)(struct us_listen_socket_t *, uws_app_listen_config_t, void *), void *);
void uws_app_run(int ssl, uws_app_t *);
int uws_ws_send(int ssl, uws_websocket_t *, const char *, size_t, uws_opcode_t);
int us_socket_local_port(int ssl, struct us_listen_socket_t *);

static void say(uws_websocket_t *socket, const char *text) {
  uws_ws_send(0, socket, text, strlen(text), UWS_TEXT);
}

static void opened(uws_websocket_t *socket, void *unused) {
  (void)socket, (void)unused;
  open_connections++;
}

static void closed(uws_websocket_t *socket, int code, const char *reason, size_t length, void *unused) {
  (void)socket, (void)code, (void)reason, (void)length, (void)unused;
  open_connections--;
}

static void received(uws_websocket_t *socket, const char *message, size_t length, uws_opcode_t kind, void *unused) {
  (void)kind, (void)unused;
  if (length < 20) return;
  if (!is_refresh(message, length)) {
    logins++;
    say(socket, "{\"type\":\"connected\",\"connection_id\":\"conn_0_1\",\"user_id\":\"u\",\"user_kind\":\"regular\",\"expires_in_ms\":1000}");
  } else if (is_good(message, length)) {
    refreshes++;
    say(socket, "{\"type\":\"refreshed\",\"expires_in_ms\":3600000}");
  }
}

static void listening(struct us_listen_socket_t *listener, uws_app_listen_config_t config, void *unused) {
  (void)config, (void)unused;
  if (!listener) exit(1);
  printf("%d\n", us_socket_local_port(0, listener));
  fflush(stdout);
}

int main(int count, char **words) {
  if (count != 2) return fprintf(stderr, "usage: uwebsockets SECRET_FILE\n"), 2;
  if (!take_secret(words[1])) return 2;
  tell_counts();
  uws_app_t *app = uws_create_app(0, (struct us_socket_context_options_t){0});
  uws_socket_behavior_t behavior = {.maxPayloadLength = 65536, .maxBackpressure = 262144};
  behavior.open = opened;
  behavior.message = received;
  behavior.close = closed;
  uws_ws(0, app, "/*", behavior, NULL);
  uws_app_listen_with_config(0, app, (uws_app_listen_config_t){.host = "127.0.0.1"}, listening, NULL);
  uws_app_run(0, app);
}
