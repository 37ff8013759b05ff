// A WebSocket echo server, and clients that measure what stands between them and such a server. One thread each.
//
// Usage: echo serve                                     listens on a free port of 127.0.0.1 and prints it
//        echo drive PORT PID CLIENTS RATE SECONDS       sends RATE messages a second of 100 bytes over all clients, and waits
//                                                       for the echo of each
//        echo order PORT CLIENTS MESSAGES               sends as fast as the echoes allow; now and then a client does not read
// `drive` prints six figures: microseconds of the process PID per message and direction, p50 and p99 of the round trip in
// microseconds, KiB of memory of PID per idle connection, messages echoed, and messages lost or out of order. The round trip
// counts from when the message was due. PID 0 is nobody. Ends with status 1 if a connection fails or a message is missing.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { message_size = 100, buffer_size = 64 << 10, clients_max = 20000, window = 64, events_max = 512 };

struct peer {
  int fd, count, is_open, waits_for_room;
  // Numbers of the next message that is sent, and of the next echo.
  unsigned sent, heard;
  // While a client does not read.
  double stalled_until;
  long stalls;  // how often it has stopped to read
  // What did not go out at once, from `pending_start` on.
  int pending, pending_start;
  unsigned char *bytes, *out;
};

static int epoll;
static struct peer *peers[clients_max * 2 + 64];

static void fail(const char *what) {
  fprintf(stderr, "echo: %s: %s\n", what, strerror(errno));
  exit(1);
}

static double now(void) {
  struct timespec time;

  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static struct peer *watch(int fd) {
  struct peer *peer = calloc(1, sizeof *peer);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

  if (!peer || fd >= (int)(sizeof peers / sizeof *peers)) fail("too many descriptors");
  peer->fd = fd;
  peer->bytes = malloc(buffer_size);
  peer->out = malloc(buffer_size);
  if (!peer->bytes || !peer->out || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event)) fail("epoll");
  peers[fd] = peer;
  return peer;
}

static void change(struct peer *peer, unsigned events) {
  struct epoll_event event = {.events = events, .data.fd = peer->fd};

  if (epoll_ctl(epoll, EPOLL_CTL_MOD, peer->fd, &event)) fail("epoll");
}

static void drop(struct peer *peer) {
  peers[peer->fd] = NULL;
  close(peer->fd);
  free(peer->bytes);
  free(peer->out);
  free(peer);
}

// Sends what is pending. Returns 0 if the connection has ended.
static int flush_out(struct peer *peer) {
  while (peer->pending) {
    ssize_t count = send(peer->fd, peer->out + peer->pending_start, (size_t)peer->pending, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (count < 0 && (errno == EAGAIN || errno == EINTR)) break;
    if (count <= 0) return 0;
    peer->pending -= (int)count;
    peer->pending_start += (int)count;
  }
  if (!peer->pending) peer->pending_start = 0;
  if (peer->waits_for_room != !!peer->pending) {
    peer->waits_for_room = !!peer->pending;
    change(peer, EPOLLIN | (peer->pending ? EPOLLOUT : 0u));
  }
  return 1;
}

static int has_room(const struct peer *peer, int size) {
  return peer->pending_start + peer->pending + size <= buffer_size;
}

static void put(struct peer *peer, const void *bytes, int size) {
  memcpy(peer->out + peer->pending_start + peer->pending, bytes, (size_t)size);
  peer->pending += size;
}

// Returns the size of the whole frame at `bytes`, 0 if it is not complete, and -1 if it is longer than those of this program.
static int frame(const unsigned char *bytes, int count, int *head, int *size) {
  if (count < 2) return 0;
  *size = bytes[1] & 0x7F;
  if (*size > 125) return -1;
  *head = bytes[1] & 0x80 ? 6 : 2;
  return count < *head + *size ? 0 : *head + *size;
}

// MARK: The server

static int accept_upgrade(struct peer *peer) {
  unsigned char digest[SHA_DIGEST_LENGTH], key[64];
  char text[128], answer[256];
  char *end = memmem(peer->bytes, (size_t)peer->count, "\r\n\r\n", 4), *field;
  int length;

  if (!end) return peer->count < buffer_size;
  *end = 0;
  field = strcasestr((char *)peer->bytes, "sec-websocket-key:");
  if (!field || sscanf(field + 18, " %60s", text) != 1) return 0;
  strcat(text, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
  SHA1((unsigned char *)text, strlen(text), digest);
  EVP_EncodeBlock(key, digest, sizeof digest);
  length = snprintf(
      answer, sizeof answer,
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", key);
  put(peer, answer, length);
  length = (int)((unsigned char *)end + 4 - peer->bytes);
  memmove(peer->bytes, peer->bytes + length, (size_t)(peer->count - length));
  peer->count -= length;
  peer->is_open = 1;
  return 1;
}

// Echoes every whole message that there is room for.
static int echo_all(struct peer *peer) {
  int at = 0, head, size, whole;

  while ((whole = frame(peer->bytes + at, peer->count - at, &head, &size)) > 0 && has_room(peer, whole)) {
    unsigned char *bytes = peer->bytes + at, opcode = bytes[0] & 0x0F, out[2] = {bytes[0], (unsigned char)size};

    if (head == 6)
      for (int index = 0; index < size; index++) bytes[6 + index] ^= bytes[2 + (index & 3)];
    at += whole;
    if (opcode == 10) continue;
    if (opcode == 9) out[0] = 0x8A;
    put(peer, out, 2);
    put(peer, bytes + head, size);
    if (opcode == 8) {
      flush_out(peer);
      return 0;
    }
  }
  if (whole < 0) return 0;
  memmove(peer->bytes, peer->bytes + at, (size_t)(peer->count - at));
  peer->count -= at;
  return 1;
}

static int serve_peer(struct peer *peer) {
  if (peer->count < buffer_size) {
    ssize_t count = recv(peer->fd, peer->bytes + peer->count, (size_t)(buffer_size - peer->count), MSG_DONTWAIT);

    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return 0;
    if (count > 0) peer->count += (int)count;
  }
  if (!peer->is_open && !accept_upgrade(peer)) return 0;
  return (!peer->is_open || echo_all(peer)) && flush_out(peer);
}

static void serve(void) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t size = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  struct epoll_event events[events_max], event = {.events = EPOLLIN, .data.fd = listener};

  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) || listen(listener, 4096)) fail("listen");
  if (getsockname(listener, (struct sockaddr *)&address, &size)) fail("getsockname");
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  if (epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event)) fail("epoll");
  for (;;) {
    int count = epoll_wait(epoll, events, events_max, -1);

    for (int index = 0; index < count; index++) {
      int fd = events[index].data.fd;

      if (fd != listener) {
        if (peers[fd] && !serve_peer(peers[fd])) drop(peers[fd]);
        continue;
      }
      if ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) < 0) continue;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      watch(fd);
    }
  }
}

// MARK: The clients

static struct peer *dial(int port) {
  static const char request[] =
      "GET /echo HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  struct peer *peer;
  char *end;

  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address)) fail("connect");
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL) < 0) fail("upgrade");
  peer = watch(fd);
  while (!(end = memmem(peer->bytes, (size_t)peer->count, "\r\n\r\n", 4))) {
    ssize_t count = recv(fd, peer->bytes + peer->count, (size_t)(buffer_size - peer->count), 0);

    if (count <= 0) fail("upgrade");
    peer->count += (int)count;
  }
  if (memcmp(peer->bytes, "HTTP/1.1 101", 12)) fail("the upgrade was refused");
  peer->count -= (int)((unsigned char *)end + 4 - peer->bytes);
  memmove(peer->bytes, end + 4, (size_t)peer->count);
  return peer;
}

// Writes the next message of a client, a JSON object: its number, when it was due, and text to the size.
static void say(struct peer *peer, double due) {
  unsigned char bytes[6 + message_size] = {0x81, 0x80 | message_size, 0x11, 0x22, 0x33, 0x44};
  char text[message_size + 1];

  memset(text, '.', sizeof text);
  text[snprintf(text, sizeof text, "{\"type\":\"message\",\"n\":%u,\"due\":%.9f,\"text\":\"", peer->sent++, due)] = '.';
  memcpy(text + message_size - 2, "\"}", 2);
  for (int index = 0; index < message_size; index++)
    bytes[6 + index] = (unsigned char)text[index] ^ bytes[2 + (index & 3)];
  put(peer, bytes, sizeof bytes);
}

static double *trips;
static int trip_count, trips_max, wrong;

// Takes the echoes that have come.
static void hear(struct peer *peer) {
  int at = 0, head, size, whole;
  ssize_t count = recv(peer->fd, peer->bytes + peer->count, (size_t)(buffer_size - peer->count), MSG_DONTWAIT);

  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) fail("a connection has ended");
  if (count > 0) peer->count += (int)count;
  while ((whole = frame(peer->bytes + at, peer->count - at, &head, &size)) > 0) {
    unsigned char opcode = peer->bytes[at] & 0x0F;
    char text[128] = "";
    unsigned number = 0;
    double due = 0;

    memcpy(text, peer->bytes + at + head, (size_t)size);
    at += whole;
    if (opcode == 9) {
      unsigned char pong[6] = {0x8A, 0x80};

      put(peer, pong, 6);
      continue;
    }
    if (opcode == 8) fail("the server has closed a connection");
    if (opcode == 10) continue;
    if (size != message_size || sscanf(text, "{\"type\":\"message\",\"n\":%u,\"due\":%lf", &number, &due) != 2 || number != peer->heard) wrong++;
    peer->heard = number + 1;
    if (trip_count < trips_max) trips[trip_count] = now() - due;
    trip_count++;
  }
  if (whole < 0) wrong++;
  memmove(peer->bytes, peer->bytes + at, (size_t)(peer->count - at));
  peer->count -= at;
}

static int by_size(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;

  return (a > b) - (a < b);
}

static double cpu_of(int pid) {
  clockid_t clock;
  struct timespec time;

  if (!pid) return 0;
  if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time)) fail("the proxy's processor time");
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double memory_of(int pid) {
  char path[64], line[256];
  double resident = 0, part;
  FILE *file;

  if (!pid) return 0;
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (!(file = fopen(path, "r"))) fail("the proxy's memory");
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "VmRSS: %lf kB", &part) == 1) resident = part;
  fclose(file);
  return resident;
}

// Waits until `until`, or until something has come, and takes it.
static void take(double until) {
  struct epoll_event events[events_max];
  double left = until - now();
  int count = epoll_wait(epoll, events, events_max, left > 0.001 ? (int)(left * 1000) : left > 0 ? 1 : 0);

  for (int index = 0; index < count; index++) {
    struct peer *peer = peers[events[index].data.fd];

    if (events[index].events & EPOLLOUT && !flush_out(peer)) fail("a connection has ended");
    if (events[index].events & ~EPOLLOUT && peer->stalled_until <= now()) hear(peer);
  }
}

static void drive(int port, int pid, int clients, int rate, int seconds) {
  struct peer **all = calloc((size_t)clients, sizeof *all);
  double began = memory_of(pid), memory, cpu, start;
  long total = (long)rate * seconds;

  trips_max = (int)total;
  trips = calloc((size_t)total, sizeof *trips);
  if (!all || !trips) fail("memory");
  for (int index = 0; index < clients; index++) all[index] = dial(port);
  start = now() + 1;
  while (now() < start) take(start);
  memory = memory_of(pid) - began;
  cpu = cpu_of(pid);
  start = now();
  for (long next = 0; next < total || trip_count < total;) {
    double at = now();

    for (; next < total && start + (double)next / rate <= at; next++) {
      struct peer *peer = all[next % clients];

      if (!has_room(peer, 6 + message_size)) fail("the proxy takes nothing");
      say(peer, start + (double)next / rate);
      if (!flush_out(peer)) fail("a connection has ended");
    }
    // Twenty seconds behind the last message a missing one is lost.
    if (at > start + seconds + 20) break;
    take(next < total ? start + (double)next / rate : at + 0.05);
  }
  cpu = cpu_of(pid) - cpu;
  if (trip_count < total) wrong += (int)(total - trip_count);
  qsort(trips, (size_t)(trip_count < total ? trip_count : total), sizeof *trips, by_size);
  printf("%.2f %.0f %.0f %.1f %d %d\n", cpu / (double)total / 2, trip_count ? trips[trip_count / 2] * 1e6 : 0,
         trip_count ? trips[(long)trip_count * 99 / 100] * 1e6 : 0, memory / clients, trip_count, wrong);
  exit(wrong ? 1 : 0);
}

static void order(int port, int clients, long total) {
  struct peer **all = calloc((size_t)clients, sizeof *all);
  double last = now();
  long sent = 0;
  int heard = 0;

  if (!all) fail("memory");
  for (int index = 0; index < clients; index++) all[index] = dial(port);
  while (trip_count < total) {
    double at = now();

    for (int index = 0; index < clients; index++) {
      struct peer *peer = all[index];

      if (peer->stalled_until > at) continue;
      if (peer->stalled_until > 0) {
        // It reads again what has piled up meanwhile.
        peer->stalled_until = 0;
        change(peer, EPOLLIN | (peer->pending ? EPOLLOUT : 0u));
      }
      while (sent < total && peer->sent - peer->heard < window && has_room(peer, 6 + message_size)) {
        say(peer, at);
        sent++;
      }
      if (!flush_out(peer)) fail("a connection has ended");
      // One message of 20,000 makes its client stop to read for a fifth of a second.
      if (peer->heard / 20000 > peer->stalls) {
        peer->stalls++;
        peer->stalled_until = at + 0.2;
        change(peer, peer->pending ? EPOLLOUT : 0u);
      }
    }
    take(at + 0.01);
    if (trip_count != heard) (heard = trip_count, last = now());
    if (now() > last + 20) break;
  }
  printf("%d of %ld messages came back, %d of them wrong or out of order\n", trip_count, total, wrong);
  exit(wrong || trip_count != total ? 1 : 0);
}

int main(int count, char **words) {
  if ((epoll = epoll_create1(EPOLL_CLOEXEC)) < 0) fail("epoll");
  if (count == 2 && !strcmp(words[1], "serve")) serve();
  if (count == 7 && !strcmp(words[1], "drive") && atoi(words[4]) > 0 && atoi(words[4]) <= clients_max)
    drive(atoi(words[2]), atoi(words[3]), atoi(words[4]), atoi(words[5]), atoi(words[6]));
  if (count == 5 && !strcmp(words[1], "order") && atoi(words[3]) > 0 && atoi(words[3]) <= clients_max)
    order(atoi(words[2]), atoi(words[3]), atol(words[4]));
  fprintf(stderr, "usage: echo serve | echo drive PORT PID CLIENTS RATE SECONDS | echo order PORT CLIENTS MESSAGES\n");
  return 2;
}
