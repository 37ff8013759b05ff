#ifndef POSTERN_REDIS_H
#define POSTERN_REDIS_H

#include <stddef.h>
#include <stdint.h>

/// A parser of the replies of one connection. hiredis' own structures differ from version to version, so none is visible.
typedef struct postern_redis_parser postern_redis_parser;
/// A reply, and a part of one.
typedef struct redisReply postern_redis_reply;

enum postern_redis_kind {
  postern_redis_text = 1,
  postern_redis_array = 2,
  postern_redis_integer = 3,
  postern_redis_null = 4,
  postern_redis_status = 5,
  postern_redis_error = 6,
  postern_redis_other = 0,
};

/// Creates a parser that accepts at most `elements_max` elements in all arrays of one reply; NULL without memory.
postern_redis_parser *_Nullable postern_redis_parser_new(size_t elements_max);
void postern_redis_parser_free(postern_redis_parser *_Nonnull parser);

/// Adds received bytes. Returns 0, or another number if the parser has failed for good.
int postern_redis_feed(postern_redis_parser *_Nonnull parser, const void *_Nonnull bytes, size_t count);

/// Takes the next complete reply, which the caller frees; NULL if there is none yet. Returns 0, or another number if what
/// the server sent is no reply or one of too many elements.
int postern_redis_next(
  postern_redis_parser *_Nonnull parser, postern_redis_reply *_Nullable *_Nonnull reply);
void postern_redis_reply_free(postern_redis_reply *_Nonnull reply);

int postern_redis_reply_kind(const postern_redis_reply *_Nonnull reply);
int64_t postern_redis_reply_integer(const postern_redis_reply *_Nonnull reply);
const char *_Nullable postern_redis_reply_bytes(const postern_redis_reply *_Nonnull reply, size_t *_Nonnull count);
size_t postern_redis_reply_count(const postern_redis_reply *_Nonnull reply);
const postern_redis_reply *_Nullable postern_redis_reply_element(
  const postern_redis_reply *_Nonnull reply, size_t index);

/// Formats a command of `count` arguments, which follow each other in `bytes` with these lengths. Returns the number of
/// bytes, which the caller frees with ``postern_redis_format_free``, or a negative number without memory.
int64_t postern_redis_format(
  const char *_Nonnull bytes, const size_t *_Nonnull lengths, size_t count, char *_Nullable *_Nonnull formatted);
void postern_redis_format_free(char *_Nonnull formatted);

#endif
