#define _GNU_SOURCE
#include "postern_lws.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

// libwebsockets calls recv(), SSL_read() and its own lws_write() through its procedure linkage table. The functions of
// these names here come first in the order in which the dynamic linker looks, so the library calls them, and they call
// the ones they stand before. Two things cannot be had in another way:
//
// - The head of a request as it came. The library's parser decodes the path (an escaped slash becomes a real one), lists
//   no field it does not know, lets a field whose name begins like a known one swallow the next, copies the subprotocols
//   into 128 bytes, and fails the handshake above. So the head is read here, in front of the library, which is shown a
//   plain one in its place.
// - That a ping arrived. The library answers it and tells nobody; but it writes its answer with lws_write().
//
// They are defined under names of their own with the assembler's name beside, so that no header's inline version or
// declaration is in the way. postern_interposition_works() finds out whether the linker has done as expected.

#define INTERPOSES(name) __asm__(name) __attribute__((used, visibility("default")))

ssize_t postern_recv(int fd, void *buffer, size_t size, int flags) INTERPOSES("recv");
int postern_ssl_read(SSL *ssl, void *buffer, int size) INTERPOSES("SSL_read");
int postern_lws_write(struct lws *wsi, unsigned char *buffer, size_t size, enum lws_write_protocol kind)
    INTERPOSES("lws_write");

typedef ssize_t (*recv_function)(int, void *, size_t, int);
typedef int (*ssl_read_function)(SSL *, void *, int);
typedef int (*lws_write_function)(struct lws *, unsigned char *, size_t, enum lws_write_protocol);

static void *next(void **found, const char *name) {
  void *function = __atomic_load_n(found, __ATOMIC_RELAXED);

  if (__builtin_expect(!function, 0)) {
    function = dlsym(RTLD_NEXT, name);
    __atomic_store_n(found, function, __ATOMIC_RELAXED);
  }
  return function;
}

int postern_interposition_works(void) {
  return dlsym(RTLD_DEFAULT, "recv") == (void *)postern_recv &&
         dlsym(RTLD_DEFAULT, "SSL_read") == (void *)postern_ssl_read &&
         dlsym(RTLD_DEFAULT, "lws_write") == (void *)postern_lws_write;
}

// Whose head is awaited, by descriptor. A loop's connections are read by its own thread alone.
static _Thread_local void **awaited;
static _Thread_local int awaited_size;
static postern_head_receiver head_receiver;
static postern_ping_receiver ping_receiver;

// What the library is shown in place of a head must fit in front of what came behind the head.
enum { stand_in_bytes_max = 512 };
const size_t postern_stand_in_bytes_max = stand_in_bytes_max;

void postern_set_head_receiver(postern_head_receiver receiver) { head_receiver = receiver; }

void postern_set_ping_receiver(postern_ping_receiver receiver) { ping_receiver = receiver; }

int postern_await_head(int fd, void *user) {
  if (fd < 0) return -1;
  if (fd >= awaited_size) {
    int size = fd + 1 > 2 * awaited_size ? fd + 1 : 2 * awaited_size;
    void **larger = realloc(awaited, (size_t)size * sizeof(*larger));

    if (!larger) return -1;
    memset(larger + awaited_size, 0, (size_t)(size - awaited_size) * sizeof(*larger));
    awaited = larger;
    awaited_size = size;
  }
  awaited[fd] = user;
  return 0;
}

void postern_forget_head(int fd, void *user) {
  if (fd >= 0 && fd < awaited_size && awaited[fd] == user) awaited[fd] = NULL;
}

void postern_forget_heads(void) {
  free(awaited);
  awaited = NULL;
  awaited_size = 0;
}

static inline void *awaited_at(int fd) {
  return __builtin_expect(fd >= 0 && fd < awaited_size, 1) ? awaited[fd] : NULL;
}

ssize_t postern_recv(int fd, void *buffer, size_t size, int flags) {
  static void *found;
  recv_function receive = (recv_function)next(&found, "recv");
  void *user = awaited_at(fd);
  ssize_t count;

  if (__builtin_expect(!user || flags || size <= 2 * stand_in_bytes_max, 1)) return receive(fd, buffer, size, flags);
  // Reads on while the head is not whole, so that it is the system that tells the library there is no more.
  do {
    count = receive(fd, buffer, size - stand_in_bytes_max, flags);
    if (count <= 0) return count;
    count = (ssize_t)head_receiver(user, buffer, (size_t)count, size);
  } while (!count);
  return count;
}

int postern_ssl_read(SSL *ssl, void *buffer, int size) {
  static void *found;
  ssl_read_function receive = (ssl_read_function)next(&found, "SSL_read");
  void *user = awaited_size ? awaited_at(SSL_get_fd(ssl)) : NULL;
  int count;

  if (__builtin_expect(!user || size <= 2 * stand_in_bytes_max, 1)) return receive(ssl, buffer, size);
  do {
    count = receive(ssl, buffer, size - stand_in_bytes_max);
    if (count <= 0) return count;
    count = (int)head_receiver(user, buffer, (size_t)count, (size_t)size);
  } while (!count);
  return count;
}

int postern_lws_write(struct lws *wsi, unsigned char *buffer, size_t size, enum lws_write_protocol kind) {
  static void *found;
  lws_write_function write = (lws_write_function)next(&found, "lws_write");

  if (__builtin_expect((kind & 0x1f) == LWS_WRITE_PONG, 0)) ping_receiver(lws_wsi_user(wsi));
  return write(wsi, buffer, size, kind);
}
