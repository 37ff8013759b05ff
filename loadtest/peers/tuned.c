// The floor: what libwebsockets itself costs for a refresh storm, in a C server that does as little as possible.
//
// One thread, libev, one deadline structure swept in slices of 64, answers written at once. It speaks just enough of the
// plain dialect for `postern storm --mint`. For a refresh it does what any server must: it verifies the token's HMAC (RFC
// 7515, HS256) and reads its `exp`. It does the same for a login with a token in the upgrade. It parses nothing else, and
// keeps no session.
//
// Usage: tuned CLIENTS ASK_AFTER_SECONDS SECRET_FILE. It listens on a free port of loopback, and prints the port in its first
// line. With 0 seconds it never requests a token, for clients that refresh by themselves. On SIGUSR1 it prints its counters.
#define _GNU_SOURCE
#include <ev.h>
#include <libwebsockets.h>
#include <sys/resource.h>

#include "refresh.h"

struct client {
  struct lws *wsi;
  int logged_in;
};

static struct client **clients;
static int connected, wanted, asked;
static double ask_after, cpu_before;
static long rss_before;
static ev_timer deadline, tick;
static struct lws_context *context;

static double cpu(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static long resident(void) {
  long pages = 0, size;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2) pages = 0;
  if (file) fclose(file);
  return pages * 4096;
}

static void say(struct lws *wsi, const char *text) {
  unsigned char buffer[LWS_PRE + 256];
  size_t length = strlen(text);
  memcpy(buffer + LWS_PRE, text, length);
  lws_write(wsi, buffer + LWS_PRE, length, LWS_WRITE_TEXT);
}

static void sweep(struct ev_loop *loop, ev_timer *timer, int events) {
  (void)events;
  if (asked == 0) {
    printf("{\"bytes_per_connection\": %ld}\n", (resident() - rss_before) / wanted);
    cpu_before = cpu();
  }
  for (int slice = 0; slice < 64 && asked < connected; slice++, asked++)
    if (clients[asked]->wsi) say(clients[asked]->wsi, "{\"type\":\"refresh_required\",\"cause\":\"expiry\",\"timeout_ms\":60000}");
  if (asked < connected) {
    ev_timer_set(timer, 0, 0);
    ev_timer_start(loop, timer);
  }
}

static void keep_timeouts(struct ev_loop *loop, ev_timer *timer, int events) {
  (void)loop, (void)timer, (void)events;
  lws_cancel_service(context);
}

// Returns whether the upgrade request has a valid token (RFC 6750 section 2.1).
static int is_good_login(struct lws *wsi) {
  char value[2048];
  int length = lws_hdr_copy(wsi, value, sizeof value, WSI_TOKEN_HTTP_AUTHORIZATION);
  return length > 7 && !strncasecmp(value, "bearer ", 7) && is_good_token(value + 7, (size_t)length - 7);
}

static int happened(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
  struct client *client = user;
  switch (reason) {
    case LWS_CALLBACK_ESTABLISHED:
      client->wsi = wsi;
      client->logged_in = 0;
      open_connections++;
      if (connected < wanted) clients[connected++] = client;
      if (lws_hdr_total_length(wsi, WSI_TOKEN_HTTP_URI_ARGS) > 0 || is_good_login(wsi)) {
        client->logged_in = 1;
        logins++;
        say(wsi, "{\"type\":\"connected\",\"connection_id\":\"conn_0_1\",\"user_id\":\"u\",\"user_kind\":\"regular\",\"expires_in_ms\":1000}");
      }
      break;
    case LWS_CALLBACK_RECEIVE:
      if (length < 20 || !in) break;
      if (!client->logged_in) {
        client->logged_in = 1;
        logins++;
        say(wsi, "{\"type\":\"connected\",\"connection_id\":\"conn_0_1\",\"user_id\":\"u\",\"user_kind\":\"regular\",\"expires_in_ms\":1000}");
      } else if (is_refresh(in, length) && is_good(in, length)) {
        say(wsi, "{\"type\":\"refreshed\",\"expires_in_ms\":3600000}");
        if (++refreshes == wanted && asked) {
          printf("{\"refreshed\": %d, \"cpu_us_per_refresh\": %.1f}\n", wanted, (cpu() - cpu_before) * 1e6 / wanted);
          fflush(stdout);
        }
      }
      break;
    case LWS_CALLBACK_CLOSED:
      client->wsi = NULL;
      open_connections--;
      break;
    default:
      break;
  }
  return 0;
}

int main(int count, char **words) {
  if (count != 4 || atoi(words[1]) < 1) return fprintf(stderr, "usage: tuned CLIENTS ASK_AFTER_SECONDS SECRET_FILE\n"), 2;
  if (!take_secret(words[3])) return 2;
  wanted = atoi(words[1]);
  ask_after = atof(words[2]);
  clients = calloc(wanted, sizeof *clients);
  lws_set_log_level(LLL_ERR, NULL);
  static const struct lws_protocols protocols[] = {{"", happened, sizeof(struct client), 1024, 0, NULL, 0}, {0}};
  static const lws_retry_bo_t never = {0};
  struct ev_loop *loop = ev_loop_new(EVBACKEND_EPOLL);
  void *foreign[] = {loop};
  struct lws_context_creation_info info = {0};
  info.port = 0;
  info.iface = "127.0.0.1";
  info.protocols = protocols;
  info.retry_and_idle_policy = &never;
  info.foreign_loops = foreign;
  info.gid = info.uid = -1;
  info.options = LWS_SERVER_OPTION_LIBEV | LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_VALIDATE_UTF8;
  tell_counts();
  context = lws_create_context(&info);
  if (!context) return 1;
  printf("%d\n", lws_get_vhost_listen_port(lws_get_vhost_by_name(context, "default")));
  fflush(stdout);
  rss_before = resident();
  ev_timer_init(&tick, keep_timeouts, 0.5, 0.5);
  ev_timer_start(loop, &tick);
  ev_timer_init(&deadline, sweep, ask_after, 0);
  if (ask_after > 0) ev_timer_start(loop, &deadline);
  ev_run(loop, 0);
}
