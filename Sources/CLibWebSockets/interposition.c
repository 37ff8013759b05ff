#define _GNU_SOURCE
#include "log.h"
#include "pings.h"
#include "postern_lws.h"

#include <dlfcn.h>
#include <openssl/err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

// libwebsockets calls recv(), OpenSSL's functions and its own lws_write() through its procedure linkage table. The
// functions here have the same names, and the dynamic linker finds them first. So the library calls them, and they call
// the original ones. Seven things cannot be had in another way:
//
// - Giving the library a connection together with its TLS session. It makes a session for each connection itself, with
//   SSL_new(); here it gets the one that is there.
// - Noticing a ping, and leaving it without an answer. The library answers it and tells nobody; but it writes its
//   answer with lws_write(). Where the order counts, a ping is noticed as it is read.
// - The code of a close frame. The library makes 1002 of 1012 to 1014; but the frame is still where it was read to.
// - Making our close frame the last one. The library sends one of its own after it if what comes meanwhile breaks
//   the protocol, as an answer inside the rest of a frame does.
// - Keeping a connection open whose WebSocket is over. The library answers a close frame by the end of the connection, with
//   shutdown() and close().
// - Which eventfd a context has. From 4.3 on the library forgets to close that of a context on somebody else's loop. At the
//   first descriptor behind its table it aborts.
// - How long a context's table of descriptors is. The library makes it as long as the process' limit, and asks sysconf().
//
// They are defined under names of their own with the assembler's name beside, so that no header's inline version or
// declaration is in the way. postern_interposition_works() finds out whether the linker has done as expected.
//
// A sanitizer's runtime calls them before its own memory is there, so it may not see into them.

#define INTERPOSES(name) __asm__(name) __attribute__((used, visibility("default"))) UNSANITIZED

ssize_t postern_recv(int fd, void *buffer, size_t size, int flags) INTERPOSES("recv");
int postern_ssl_read(SSL *ssl, void *buffer, int size) INTERPOSES("SSL_read");
SSL *postern_ssl_new(SSL_CTX *context) INTERPOSES("SSL_new");
int postern_lws_write(struct lws *wsi, unsigned char *buffer, size_t size, enum lws_write_protocol kind)
    INTERPOSES("lws_write");
int postern_shutdown(int fd, int how) INTERPOSES("shutdown");
int postern_close(int fd) INTERPOSES("close");
int postern_eventfd(unsigned initial, int flags) INTERPOSES("eventfd");
long postern_sysconf(int name) INTERPOSES("sysconf");

typedef ssize_t (*recv_function)(int, void *, size_t, int);
typedef int (*ssl_read_function)(SSL *, void *, int);
typedef SSL *(*ssl_new_function)(SSL_CTX *);
typedef int (*lws_write_function)(struct lws *, unsigned char *, size_t, enum lws_write_protocol);
typedef int (*shutdown_function)(int, int);
typedef int (*close_function)(int);
typedef int (*eventfd_function)(unsigned, int);
typedef long (*sysconf_function)(int);

UNSANITIZED static void *next(void **found, const char *name) {
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
         dlsym(RTLD_DEFAULT, "SSL_new") == (void *)postern_ssl_new &&
         dlsym(RTLD_DEFAULT, "lws_write") == (void *)postern_lws_write &&
         dlsym(RTLD_DEFAULT, "shutdown") == (void *)postern_shutdown &&
         dlsym(RTLD_DEFAULT, "close") == (void *)postern_close &&
         dlsym(RTLD_DEFAULT, "eventfd") == (void *)postern_eventfd &&
         dlsym(RTLD_DEFAULT, "sysconf") == (void *)postern_sysconf;
}

static postern_ping_judge ping_judge;
static postern_close_judge close_judge;

void postern_set_ping_judge(postern_ping_judge judge) { ping_judge = judge; }

void postern_set_close_judge(postern_close_judge judge) { close_judge = judge; }

// The largest control frame (RFC 6455 section 5.5), masked: two bytes, the mask, the payload.
enum { control_frame_max = 2 + 4 + 125 };

// The last bytes of a read, if they may begin a close frame; or the bytes that came with the head of a handshake.
struct tail {
  size_t count;
  unsigned char bytes[];
};

static _Thread_local int is_reading;
// By descriptor; NULL for nearly all. An entry of a closed descriptor is removed when a connection is handed over.
static _Thread_local struct tail **tails;
static _Thread_local int tails_size;
// The bytes that this thread read last, and their descriptor.
static _Thread_local int last_fd = -1;
static _Thread_local const unsigned char *last_bytes;
static _Thread_local size_t last_count;
// The tail before it, with its first bytes behind.
static _Thread_local unsigned char joined[2 * control_frame_max];
static _Thread_local size_t joined_count;

void postern_begin_reading(void) { is_reading = 1; }

void postern_end_reading(void) {
  int fd;

  for (fd = 0; fd < tails_size; fd++) free(tails[fd]);
  free(tails);
  tails = NULL;
  tails_size = 0;
  pings_forget_all();
  is_reading = 0;
  last_fd = -1;
}

// Returns the offset of a close frame whose end is missing; `count` if there is none.
static size_t unfinished_close(const unsigned char *bytes, size_t count) {
  const unsigned char *end = bytes + count, *at = count < control_frame_max ? bytes : end - (control_frame_max - 1);

  for (; at < end && (at = memchr(at, 0x88, (size_t)(end - at))); at++) {
    size_t rest = (size_t)(end - at), size;

    if (rest == 1) return count - 1;
    size = at[1] & 0x7f;
    if (size <= 125 && rest < (at[1] & 0x80 ? 6 : 2) + size) return (size_t)(at - bytes);
  }
  return count;
}

static void keep_tail(int fd, const unsigned char *bytes, size_t count) {
  struct tail *tail;

  if (!count) {
    if (fd < tails_size) {
      free(tails[fd]);
      tails[fd] = NULL;
    }
    return;
  }
  if (fd >= tails_size) {
    int size = fd + 1 > 2 * tails_size ? fd + 1 : 2 * tails_size;
    struct tail **larger = realloc(tails, (size_t)size * sizeof(*larger));

    if (!larger) return;
    memset(larger + tails_size, 0, (size_t)(size - tails_size) * sizeof(*larger));
    tails = larger;
    tails_size = size;
  }
  // Sized to its content: one connection in five has one at any time.
  tail = malloc(sizeof(struct tail) + count);
  if (tail) {
    tail->count = count;
    memcpy(tail->bytes, bytes, count);
  }
  free(tails[fd]);
  tails[fd] = tail;
}

// Notes what a read gave. Nothing is copied unless the read ends inside what may be a close frame.
static void note_read(int fd, const void *buffer, ssize_t read) {
  const unsigned char *bytes = buffer;
  size_t count = (size_t)read, start;
  struct tail *tail;

  if (!is_reading || read <= 0 || fd < 0) return;
  last_fd = fd;
  last_bytes = bytes;
  last_count = count;
  joined_count = 0;
  tail = fd < tails_size ? tails[fd] : NULL;
  if (__builtin_expect(tail != NULL, 0)) {
    size_t added = count < control_frame_max ? count : control_frame_max;

    memcpy(joined, tail->bytes, tail->count);
    memcpy(joined + tail->count, bytes, added);
    joined_count = tail->count + added;
    if (added == count) {
      bytes = joined;
      count = joined_count;
    }
  }
  start = unfinished_close(bytes, count);
  if (__builtin_expect(tail || start < count, 0)) keep_tail(fd, bytes + start, count - start);
}

// The code of the last close frame in `bytes` that has this reason; -1 if there is none.
static int find_close(const unsigned char *bytes, size_t count, const unsigned char *reason, size_t size) {
  size_t start = count < 2 + size ? 0 : count - 2 - size + 1;

  while (start-- > 0) {
    const unsigned char *frame = bytes + start, *mask = NULL, *payload = frame + 2;
    unsigned char code[2];
    size_t index;

    if (frame[0] != 0x88 || (frame[1] & 0x7f) != size) continue;
    if (frame[1] & 0x80) {
      mask = frame + 2;
      payload = frame + 6;
      if ((size_t)(payload - bytes) + size > count) continue;
    }
    for (index = 0; index < size; index++) {
      unsigned char byte = mask ? payload[index] ^ mask[index & 3] : payload[index];

      if (index < 2) code[index] = byte;
      else if (byte != reason[index]) break;
    }
    if (index == size) return code[0] << 8 | code[1];
  }
  return -1;
}

int postern_close_code(int fd, const unsigned char *payload, size_t size) {
  int code = -1;

  if (fd < 0 || size < 2 || size > 125) return -1;
  if (fd == last_fd) {
    code = find_close(last_bytes, last_count, payload, size);
    if (code < 0) code = find_close(joined, joined_count, payload, size);
  } else if (fd < tails_size && tails[fd]) {
    code = find_close(tails[fd]->bytes, tails[fd]->count, payload, size);
  }
  return code >= 1012 && code <= 1014 ? code : -1;
}

ssize_t postern_recv(int fd, void *buffer, size_t size, int flags) {
  static void *found;
  recv_function receive = (recv_function)next(&found, "recv");
  int is_watched = !flags && pings_must_look(fd, size);
  ssize_t count;

  if (__builtin_expect(is_watched, 0)) {
    count = receive(fd, buffer, size, MSG_PEEK);
    if (count > 0) size = pings_limit(fd, buffer, (size_t)count);
  }
  count = receive(fd, buffer, size, flags);
  if (!flags) note_read(fd, buffer, count);
  if (!flags && count > 0) pings_note(fd, buffer, (size_t)count);
  return count;
}

int postern_ssl_read(SSL *ssl, void *buffer, int size) {
  static void *found;
  int fd = is_reading ? SSL_get_fd(ssl) : -1, count;

  if (__builtin_expect(fd >= 0 && size > 0 && pings_must_look(fd, (size_t)size), 0)) {
    count = SSL_peek(ssl, buffer, size);
    if (count > 0) size = (int)pings_limit(fd, buffer, (size_t)count);
  }
  count = ((ssl_read_function)next(&found, "SSL_read"))(ssl, buffer, size);
  if (fd >= 0 && count > 0) {
    note_read(fd, buffer, count);
    pings_note(fd, buffer, (size_t)count);
  }
  return count;
}

// The session of the connection that this thread is handing over.
static _Thread_local SSL *handed_over;

SSL *postern_ssl_new(SSL_CTX *context) {
  static void *found;
  SSL *session = handed_over;

  if (__builtin_expect(session != NULL, 0)) {
    handed_over = NULL;
    return session;
  }
  return ((ssl_new_function)next(&found, "SSL_new"))(context);
}

struct lws *postern_adopt(struct postern_vhost *vhost, int fd, SSL *session, const char *bytes, size_t count,
                          size_t head) {
  size_t kept = count - head < control_frame_max ? count - head : control_frame_max;
  struct lws *wsi;

  handed_over = session;
  // The library takes the bytes behind the head from a copy, now or later, and not by one of the functions above.
  if (last_fd == fd) last_fd = -1;
  keep_tail(fd, (const unsigned char *)bytes + count - kept, kept);
  pings_begin(fd, (const unsigned char *)bytes + head, count - head);
  ERR_clear_error();
  wsi = lws_adopt_socket_vhost_readbuf(postern_vhost_lws(vhost), fd, bytes, count);
  postern_lines_unheard = 0;
  ERR_clear_error();
  SSL_free(handed_over);
  handed_over = NULL;
  return wsi;
}

int postern_lws_write(struct lws *wsi, unsigned char *buffer, size_t size, enum lws_write_protocol kind) {
  static void *found;
  lws_write_function write = (lws_write_function)next(&found, "lws_write");

  if (__builtin_expect((kind & 0x1f) == LWS_WRITE_PONG && !ping_judge(lws_wsi_user(wsi), buffer, size), 0))
    return (int)size;
  if (__builtin_expect((kind & 0x1f) == postern_write_close && !close_judge(lws_wsi_user(wsi)), 0)) return (int)size;
  return write(wsi, buffer, size, kind);
}

// The descriptor that the library is about to close, and must not; -1 nearly always.
static _Thread_local int kept_fd = -1;

int postern_keep(struct lws *wsi) {
  SSL *ssl = lws_get_ssl(wsi);

  if (ssl) SSL_set_quiet_shutdown(ssl, 1);
  kept_fd = lws_get_socket_fd(wsi);
  postern_unwatch_pings(kept_fd);
  return kept_fd;
}

int postern_shutdown(int fd, int how) {
  static void *found;

  if (__builtin_expect(fd == kept_fd && fd >= 0, 0)) return 0;
  return ((shutdown_function)next(&found, "shutdown"))(fd, how);
}

// Whether the code at that address is libwebsockets'.
static int is_of_library(void *address) {
  Dl_info caller, library;

  return dladdr(address, &caller) && dladdr((void *)lws_create_context, &library) && caller.dli_fbase == library.dli_fbase;
}

// The descriptor that the new context opened, and the one to close with the context that is being destroyed.
static _Thread_local int is_making_context, table_length, made_eventfd = -1, doomed_eventfd = -1;

struct lws_context *postern_lws_create_context(const struct lws_context_creation_info *info, int descriptors_max,
                                               int *eventfd) {
  struct lws_context *context;

  made_eventfd = -1;
  table_length = descriptors_max;
  is_making_context = 1;
  context = lws_create_context(info);
  is_making_context = 0;
  *eventfd = context ? made_eventfd : -1;
  return context;
}

void postern_lws_destroy_context(struct lws_context *context, int eventfd) {
  doomed_eventfd = eventfd;
  lws_context_destroy(context);
  if (doomed_eventfd >= 0) close(doomed_eventfd);
  doomed_eventfd = -1;
}

int postern_eventfd(unsigned initial, int flags) {
  static void *found;
  int fd = ((eventfd_function)next(&found, "eventfd"))(initial, flags);

  // libev has descriptors of its own on this thread, and closes them itself.
  if (!is_making_context || !is_of_library(__builtin_return_address(0))) return fd;
  // The library refuses a descriptor behind its table and gives the context up. For the first one behind it, it then aborts.
  if (fd == table_length) {
    int later = ((eventfd_function)next(&found, "eventfd"))(initial, flags);

    close(fd);
    fd = later;
  }
  made_eventfd = fd;
  return fd;
}

long postern_sysconf(int name) {
  static void *found;

  if (__builtin_expect(is_making_context && name == _SC_OPEN_MAX, 0)) return table_length;
  return ((sysconf_function)next(&found, "sysconf"))(name);
}

int postern_close(int fd) {
  static void *found;

  postern_unwatch_pings(fd);
  if (__builtin_expect(fd == doomed_eventfd && fd >= 0, 0)) doomed_eventfd = -1;
  if (__builtin_expect(fd == kept_fd && fd >= 0, 0)) {
    kept_fd = -1;
    return 0;
  }
  return ((close_function)next(&found, "close"))(fd);
}
