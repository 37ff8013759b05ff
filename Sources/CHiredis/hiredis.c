#include "postern_redis.h"

#include <hiredis/hiredis.h>
#include <limits.h>
#include <stdlib.h>

// hiredis 1.0 counts elements in size_t, and has an allocator of its own.
#if HIREDIS_MAJOR >= 1
typedef size_t elements_type;
#define free_formatted(text) redisFreeCommand(text)
#else
typedef int elements_type;
#define free_formatted(text) free(text)
#endif

struct postern_redis_parser {
  redisReader *reader;
  // hiredis' own functions, but for the arrays.
  redisReplyObjectFunctions functions;
  void *(*create_array)(const redisReadTask *, elements_type);
  size_t elements_max;
  size_t elements;
};

// hiredis allocates room for as many elements as the server announces, in each nested array again. Here their sum is bounded.
static void *create_array(const redisReadTask *task, elements_type elements) {
  postern_redis_parser *parser = task->privdata;
  if (elements < 0 || (size_t)elements > parser->elements_max - parser->elements) return NULL;
  parser->elements += (size_t)elements;
  return parser->create_array(task, elements);
}

postern_redis_parser *postern_redis_parser_new(size_t elements_max) {
  postern_redis_parser *parser = calloc(1, sizeof *parser);
  if (!parser) return NULL;
  parser->reader = redisReaderCreate();
  if (!parser->reader) {
    free(parser);
    return NULL;
  }
  parser->functions = *parser->reader->fn;
  parser->create_array = parser->functions.createArray;
  parser->functions.createArray = create_array;
  parser->reader->fn = &parser->functions;
  parser->reader->privdata = parser;
  parser->elements_max = elements_max;
  return parser;
}

void postern_redis_parser_free(postern_redis_parser *parser) {
  redisReaderFree(parser->reader);
  free(parser);
}

int postern_redis_feed(postern_redis_parser *parser, const void *bytes, size_t count) {
  return redisReaderFeed(parser->reader, bytes, count) == REDIS_OK ? 0 : -1;
}

int postern_redis_next(postern_redis_parser *parser, postern_redis_reply **reply) {
  void *found = NULL;
  *reply = NULL;
  if (redisReaderGetReply(parser->reader, &found) != REDIS_OK) return -1;
  if (found) parser->elements = 0;
  *reply = found;
  return 0;
}

void postern_redis_reply_free(postern_redis_reply *reply) { freeReplyObject(reply); }

int postern_redis_reply_kind(const postern_redis_reply *reply) {
  switch (reply->type) {
  case REDIS_REPLY_STRING: return postern_redis_text;
  case REDIS_REPLY_ARRAY: return postern_redis_array;
  case REDIS_REPLY_INTEGER: return postern_redis_integer;
  case REDIS_REPLY_NIL: return postern_redis_null;
  case REDIS_REPLY_STATUS: return postern_redis_status;
  case REDIS_REPLY_ERROR: return postern_redis_error;
  default: return postern_redis_other;
  }
}

int64_t postern_redis_reply_integer(const postern_redis_reply *reply) { return reply->integer; }

const char *postern_redis_reply_bytes(const postern_redis_reply *reply, size_t *count) {
  *count = reply->str ? (size_t)reply->len : 0;
  return reply->str;
}

size_t postern_redis_reply_count(const postern_redis_reply *reply) {
  return reply->type == REDIS_REPLY_ARRAY && reply->element ? reply->elements : 0;
}

const postern_redis_reply *postern_redis_reply_element(const postern_redis_reply *reply, size_t index) {
  return index < postern_redis_reply_count(reply) ? reply->element[index] : NULL;
}

int64_t postern_redis_format(const char *bytes, const size_t *lengths, size_t count, char **formatted) {
  *formatted = NULL;
  if (count > INT_MAX) return -1;
  const char **arguments = malloc((count ? count : 1) * sizeof *arguments);
  if (!arguments) return -1;
  for (size_t index = 0; index < count; index += 1) {
    arguments[index] = bytes;
    bytes += lengths[index];
  }
  int64_t length = redisFormatCommandArgv(formatted, (int)count, arguments, lengths);
  free(arguments);
  return length;
}

void postern_redis_format_free(char *formatted) { free_formatted(formatted); }
