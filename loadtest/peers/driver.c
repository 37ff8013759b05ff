// Measures what a server pays for connects, closes and HTTP answers: opens connections, ends them, and reads the server's
// processor time from the system between the steps. Speaks the plain dialect; one thread, at most 64 exchanges at a time.
//
// Usage: driver sockets PORT PID CLIENTS TOKEN_FILE   prints CPU per connect with login, and per close, in microseconds;
//        driver http PORT PID REQUESTS PATH [BODY]    prints CPU per request on kept connections, in microseconds: a GET, or
//                                                     a POST of the JSON body.
// The upgrade has the token as `Authorization: Bearer`. Ends with status 1 if one exchange fails.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { in_flight = 64, head_max = 16 << 10 };

struct peer {
  int fd;
  // The number of bytes received of an incomplete answer.
  int count;
  char bytes[1024];
};

static int epoll, port, pid;
static char request[head_max];
static int request_size;

static void fail(const char *what) {
  fprintf(stderr, "driver: %s: %s\n", what, strerror(errno));
  exit(1);
}

// The processor time of all threads of the server, user and system, in nanoseconds.
static double server_ns(void) {
  clockid_t clock;
  struct timespec time;

  if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time)) fail("the server's processor time");
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int dial(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) fail("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

static void send_all(int fd, const void *bytes, size_t size) {
  if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size) fail("send");
}

static void watch(struct peer *peer) {
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = peer};
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, peer->fd, &event)) fail("epoll_ctl");
}

// Reads the available bytes. Returns 0 at the end of the connection.
static int take(struct peer *peer) {
  ssize_t size = recv(peer->fd, peer->bytes + peer->count, sizeof peer->bytes - 1 - (size_t)peer->count, 0);
  if (size < 0) fail("recv");
  peer->count += (int)size;
  peer->bytes[peer->count] = 0;
  return size > 0;
}

static void measure_sockets(int clients) {
  struct peer *peers = calloc((size_t)clients, sizeof *peers);
  struct epoll_event events[in_flight];
  // Close frame with code 1000, masked with zeros (RFC 6455 sections 5.5.1 and 5.3).
  static const unsigned char close_frame[] = {0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8};
  int begun = 0, done = 0, index, count;
  double before = server_ns();

  if (!peers) fail("calloc");
  while (done < clients) {
    for (; begun < clients && begun - done < in_flight; begun++) {
      peers[begun].fd = dial();
      send_all(peers[begun].fd, request, (size_t)request_size);
      watch(&peers[begun]);
    }
    count = epoll_wait(epoll, events, in_flight, 30000);
    if (count < 1) fail("no answer to a login");
    for (index = 0; index < count; index++) {
      struct peer *peer = events[index].data.ptr;
      if (!take(peer)) fail("the server closed a login");
      if (!memmem(peer->bytes, (size_t)peer->count, "\"connected\"", 11)) continue;
      done++;
      peer->count = 0;
      epoll_ctl(epoll, EPOLL_CTL_DEL, peer->fd, NULL);
    }
  }
  usleep(300000);
  double between = server_ns();
  printf("{\"connect_us\": %.2f, ", (between - before) / 1e3 / clients);
  usleep(300000);
  before = server_ns();
  for (begun = done = 0; done < clients;) {
    for (; begun < clients && begun - done < in_flight; begun++) {
      send_all(peers[begun].fd, close_frame, sizeof close_frame);
      watch(&peers[begun]);
    }
    count = epoll_wait(epoll, events, in_flight, 30000);
    if (count < 1) fail("no answer to a close");
    for (index = 0; index < count; index++) {
      struct peer *peer = events[index].data.ptr;
      if (take(peer)) continue;
      done++;
      close(peer->fd);
    }
  }
  usleep(300000);
  printf("\"close_us\": %.2f}\n", (server_ns() - before) / 1e3 / clients);
}

static void measure_http(int requests) {
  struct peer peers[in_flight];
  struct epoll_event events[in_flight];
  int begun = 0, done = 0, size = 0, index, count;

  memset(peers, 0, sizeof peers);
  for (index = 0; index < in_flight; index++) {
    peers[index].fd = dial();
    watch(&peers[index]);
  }
  double before = server_ns();
  for (index = 0; index < in_flight && begun < requests; index++, begun++)
    send_all(peers[index].fd, request, (size_t)request_size);
  while (done < requests) {
    count = epoll_wait(epoll, events, in_flight, 30000);
    if (count < 1) fail("no answer");
    for (index = 0; index < count; index++) {
      struct peer *peer = events[index].data.ptr;
      char *body, *length;
      if (!take(peer)) fail("the server closed a kept connection");
      if (!(body = strstr(peer->bytes, "\r\n\r\n")) || !(length = strcasestr(peer->bytes, "content-length:"))) continue;
      size = atoi(length + 15);
      if (peer->count < body + 4 - peer->bytes + size) continue;
      if (memcmp(peer->bytes + 9, "200", 3)) fail(peer->bytes);
      peer->count = 0;
      done++;
      if (begun++ < requests) send_all(peer->fd, request, (size_t)request_size);
    }
  }
  printf("{\"request_us\": %.2f, \"body_bytes\": %d}\n", (server_ns() - before) / 1e3 / requests, size);
}

int main(int count, char **words) {
  int is_http = count >= 6 && !strcmp(words[1], "http");
  char token[8192] = "", line[8300] = "";
  FILE *file = NULL;

  if (count < 6 || (!is_http && strcmp(words[1], "sockets"))) {
    fprintf(stderr, "usage: driver sockets PORT PID CLIENTS TOKEN_FILE | driver http PORT PID REQUESTS PATH [BODY]\n");
    return 2;
  }
  port = atoi(words[2]);
  pid = atoi(words[3]);
  if (!is_http) {
    file = fopen(words[5], "r");
    if (!file || !fgets(token, sizeof token, file)) fail("the token's file");
    token[strcspn(token, "\r\n")] = 0;
    snprintf(line, sizeof line, "Authorization: Bearer %s\r\n", token);
  }
  request_size = is_http && count > 6
    ? snprintf(request, sizeof request,
        "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
        words[5], strlen(words[6]), words[6])
    : is_http ? snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", words[5])
    : snprintf(request, sizeof request,
        "GET /v1/connect HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", line);
  epoll = epoll_create1(EPOLL_CLOEXEC);
  if (is_http) measure_http(atoi(words[4])); else measure_sockets(atoi(words[4]));
  return 0;
}
