#include "pings.h"
#include "postern_lws.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The library tells of no ping, and its pong comes when the connection is writable, which may be behind the messages that came
// with the ping. A proxy passes pings on between these messages. So the frames of its connections are followed here (RFC 6455
// section 5.2), and a ping is given to the library in a read of its own. What was read before it has then been handled.

enum { opcode_ping = 9, payload_max = 125, head_max = 14 };

// A place in the stream of frames.
struct place {
  // The bytes that are missing of the frame's payload.
  uint64_t rest;
  // The bytes of its head so far, if that is not whole.
  unsigned char head[head_max];
  unsigned char head_count;
  unsigned char is_ping;
};

struct watched {
  // The connection; NULL until it is watched.
  void *user;
  struct place place;
  // Whether a ping came with the head of the handshake.
  int has_early;
  // The payload of the ping that is being read.
  unsigned char mask[4];
  unsigned char payload[payload_max];
  size_t payload_count;
};

// By descriptor; NULL for those that are not watched.
static _Thread_local struct watched **connections;
static _Thread_local int connections_size;

static postern_ping_listener listener;

void postern_set_ping_listener(postern_ping_listener new_listener) { listener = new_listener; }

UNSANITIZED static struct watched *find(int fd) { return fd >= 0 && fd < connections_size ? connections[fd] : NULL; }

static struct watched *add(int fd) {
  struct watched *found = find(fd);

  if (found || fd < 0) return found;
  if (fd >= connections_size) {
    int size = fd + 1 > 2 * connections_size ? fd + 1 : 2 * connections_size;
    struct watched **larger = realloc(connections, (size_t)size * sizeof(*larger));

    if (!larger) return NULL;
    memset(larger + connections_size, 0, (size_t)(size - connections_size) * sizeof(*larger));
    connections = larger;
    connections_size = size;
  }
  connections[fd] = calloc(1, sizeof(struct watched));
  return connections[fd];
}

UNSANITIZED static void forget(int fd) {
  if (!find(fd)) return;
  free(connections[fd]);
  connections[fd] = NULL;
}

// The size of a head that begins with these bytes, as far as they tell.
static size_t head_size(const unsigned char *head, size_t count) {
  size_t size = 2;

  if (count < 2) return size;
  if ((head[1] & 0x7f) == 126) size += 2;
  if ((head[1] & 0x7f) == 127) size += 8;
  return head[1] & 0x80 ? size + 4 : size;
}

static uint64_t payload_size(const unsigned char *head) {
  size_t index, bytes = (head[1] & 0x7f) == 127 ? 8 : 2;
  uint64_t size = 0;

  if ((head[1] & 0x7f) < 126) return head[1] & 0x7f;
  for (index = 0; index < bytes; index++) size = size << 8 | head[2 + index];
  return size;
}

// Takes bytes of one head or one payload, and returns their number. `is_end`: whether they end a frame.
static size_t step(struct place *place, const unsigned char *bytes, size_t count, int *is_end) {
  size_t taken = 0;

  *is_end = 0;
  if (place->rest) {
    taken = place->rest < count ? (size_t)place->rest : count;
    place->rest -= taken;
    *is_end = !place->rest;
    return taken;
  }
  while (taken < count) {
    place->head[place->head_count++] = bytes[taken++];
    if (place->head_count < head_size(place->head, place->head_count)) continue;
    place->is_ping = (place->head[0] & 0x0f) == opcode_ping && (place->head[1] & 0x7f) <= payload_max;
    place->rest = payload_size(place->head);
    place->head_count = 0;
    *is_end = !place->rest;
    break;
  }
  return taken;
}

static int is_at_frame(const struct place *place) { return !place->rest && !place->head_count; }

size_t pings_limit(int fd, const unsigned char *bytes, size_t count) {
  struct place place = find(fd)->place;
  size_t at = 0;

  while (at < count) {
    int begins_ping = is_at_frame(&place) && (bytes[at] & 0x0f) == opcode_ping, is_end;

    if (begins_ping && at) return at;
    at += step(&place, bytes + at, count - at, &is_end);
    if (is_end && place.is_ping) return at;
  }
  return count;
}

// Notes the bytes, and tells of each ping that is whole by `user`; of none if that is NULL.
static void follow(struct watched *watched, const unsigned char *bytes, size_t count, void *user) {
  size_t at = 0;

  while (at < count) {
    struct place *place = &watched->place;
    int is_payload = place->rest != 0, is_end;
    size_t taken = step(place, bytes + at, count - at, &is_end), index;

    if (place->is_ping && is_payload) {
      for (index = 0; index < taken && watched->payload_count < payload_max; index++, watched->payload_count++)
        watched->payload[watched->payload_count] = bytes[at + index] ^ watched->mask[watched->payload_count & 3];
    } else if (!place->head_count) {
      // A head is whole. Its mask comes last; a frame without one breaks the protocol, which the library finds.
      memcpy(watched->mask, place->head + head_size(place->head, 2) - 4, place->head[1] & 0x80 ? 4 : 0);
      watched->payload_count = 0;
    }
    if (is_end && place->is_ping) {
      if (user) listener(user, watched->payload, watched->payload_count);
      else watched->has_early = 1;
    }
    at += taken;
  }
}

void pings_note(int fd, const unsigned char *bytes, size_t count) {
  struct watched *watched = find(fd);

  if (__builtin_expect(watched != NULL, 0)) follow(watched, bytes, count, watched->user);
}

int pings_must_look(int fd, size_t size) {
  const struct watched *watched = find(fd);

  return __builtin_expect(watched != NULL, 0) && watched->user && (watched->place.is_ping || watched->place.rest < size);
}

void pings_begin(int fd, const unsigned char *bytes, size_t count) {
  struct watched *watched;

  forget(fd);
  if (!count) return;
  watched = add(fd);
  if (watched) follow(watched, bytes, count, NULL);
}

void pings_forget_all(void) {
  int fd;

  for (fd = 0; fd < connections_size; fd++) free(connections[fd]);
  free(connections);
  connections = NULL;
  connections_size = 0;
}

void postern_watch_pings(int fd, void *user) {
  struct watched *watched = add(fd);

  if (watched) watched->user = user;
}

UNSANITIZED void postern_unwatch_pings(int fd) { forget(fd); }

int postern_take_early_ping(int fd) {
  struct watched *watched = find(fd);
  int has_early = !watched || watched->has_early;

  if (watched) watched->has_early = 0;
  return has_early;
}
