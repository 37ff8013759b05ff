#ifndef POSTERN_PINGS_H
#define POSTERN_PINGS_H

#include <stddef.h>

// For what a sanitizer's runtime calls before its own memory is there.
#define UNSANITIZED __attribute__((disable_sanitizer_instrumentation))

// Watched connections: those whose pings are noticed as they are read (pings.c). All functions are of one thread.

// Forgets what is known of the descriptor, because another connection has it. `bytes` came with the head of its handshake.
void pings_begin(int fd, const unsigned char *bytes, size_t count);
void pings_forget_all(void);

// Whether a read of at most `size` bytes has to be looked at first, because a ping may be in it.
int pings_must_look(int fd, size_t size);
// Returns how many of the waiting bytes the library may read now: a ping is read by itself.
size_t pings_limit(int fd, const unsigned char *bytes, size_t count);
// Notes the bytes that were read.
void pings_note(int fd, const unsigned char *bytes, size_t count);

#endif
