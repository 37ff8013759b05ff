// The code that the servers of this folder share: the work that any server must do for a refresh, and their counters.
#pragma once
#include <openssl/crypto.h>
#include <openssl/hmac.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static HMAC_CTX *mac;
static volatile sig_atomic_t open_connections, logins, refreshes;

// Decodes unpadded base64url text (RFC 4648 section 5) and returns the number of bytes; -1 if it is malformed or needs more
// than `room`.
static int decode(const char *text, size_t length, unsigned char *bytes, size_t room) {
  unsigned bits = 0, held = 0;
  size_t count = 0;
  for (size_t index = 0; index < length; index++) {
    char letter = text[index];
    int value = letter >= 'A' && letter <= 'Z' ? letter - 'A' : letter >= 'a' && letter <= 'z' ? letter - 'a' + 26
                : letter >= '0' && letter <= '9' ? letter - '0' + 52 : letter == '-' ? 62 : letter == '_' ? 63 : -1;
    if (value < 0) return -1;
    bits = bits << 6 | (unsigned)value;
    if ((held += 6) < 8) continue;
    held -= 8;
    if (count == room) return -1;
    bytes[count++] = (unsigned char)(bits >> held);
  }
  return (int)count;
}

// Returns whether the token is signed with the secret (RFC 7515, HS256) and has not expired.
static int is_good_token(const char *token, size_t length) {
  static const char claim[] = "\"exp\":";
  const char *end = token + length, *payload, *signature;
  unsigned char given[64], made[EVP_MAX_MD_SIZE], claims[1024];
  unsigned made_size;
  int size;

  payload = memchr(token, '.', length);
  signature = payload ? memchr(payload + 1, '.', (size_t)(end - payload - 1)) : NULL;
  if (!signature) return 0;
  HMAC_Init_ex(mac, NULL, 0, NULL, NULL);
  HMAC_Update(mac, (const unsigned char *)token, (size_t)(signature - token));
  HMAC_Final(mac, made, &made_size);
  if (decode(signature + 1, (size_t)(end - signature - 1), given, sizeof given) != (int)made_size ||
      CRYPTO_memcmp(given, made, made_size))
    return 0;
  size = decode(payload + 1, (size_t)(signature - payload - 1), claims, sizeof claims - 1);
  if (size < 0) return 0;
  claims[size] = 0;
  payload = strstr((const char *)claims, claim);
  return payload && strtod(payload + sizeof claim - 1, NULL) > (double)time(NULL);
}

// Returns whether the message's token is valid.
static int is_good(const char *message, size_t length) {
  static const char name[] = "\"token\":\"";
  const char *token = memmem(message, length, name, sizeof name - 1), *end;

  if (!token) return 0;
  token += sizeof name - 1;
  end = memchr(token, '"', (size_t)(message + length - token));
  return end && is_good_token(token, (size_t)(end - token));
}

// Returns whether the message is a refresh, and not a login.
static int is_refresh(const char *message, size_t length) {
  return memmem(message, length < 40 ? length : 40, "refresh", 7) != NULL;
}

// Reads the secret of tokens; returns 0 if there is none.
static int take_secret(const char *path) {
  char secret[4096];
  FILE *file = fopen(path, "r");
  size_t size = file ? fread(secret, 1, sizeof secret, file) : 0;
  if (file) fclose(file);
  if (!size) return fprintf(stderr, "no secret in %s\n", path), 0;
  mac = HMAC_CTX_new();
  return HMAC_Init_ex(mac, secret, (int)size, EVP_sha256(), NULL);
}

static void tell(int signal) {
  char line[128];
  int length = snprintf(
      line, sizeof line, "{\"connections\": %d, \"logins\": %d, \"refreshes\": %d}\n", open_connections, logins, refreshes);
  (void)signal;
  if (write(STDOUT_FILENO, line, (size_t)length) < 0) _exit(1);
}

// Prints the counters on SIGUSR1 from now on. A thread for that would slow the allocator down.
static void tell_counts(void) {
  signal(SIGUSR1, tell);
}
