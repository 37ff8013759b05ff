#define _GNU_SOURCE
#include "postern_lws.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct postern_certificate {
  X509 *leaf;
  STACK_OF(X509) *chain;
  EVP_PKEY *key;
};

static void explain(char *error, size_t error_size, const char *what, const char *path) {
  unsigned long code = ERR_peek_last_error();
  const char *reason = code ? ERR_reason_error_string(code) : NULL;

  snprintf(error, error_size, "%s %s%s%s", path, what, reason ? ": " : "", reason ? reason : "");
  ERR_clear_error();
}

static BIO *open_file(const char *path, char *error, size_t error_size) {
  struct stat status;
  FILE *file = fopen(path, "re");
  BIO *bio;

  if (!file || fstat(fileno(file), &status)) {
    snprintf(error, error_size, "%s cannot be opened: %s", path, strerror(errno));
    if (file) fclose(file);
    return NULL;
  }
  if (S_ISDIR(status.st_mode)) {
    snprintf(error, error_size, "%s is a directory, not a file", path);
    fclose(file);
    return NULL;
  }
  bio = BIO_new_fp(file, BIO_CLOSE);
  if (!bio) {
    snprintf(error, error_size, "%s cannot be read: no memory", path);
    fclose(file);
  }
  return bio;
}

// An encrypted key must fail rather than ask for its passphrase on the terminal.
static int no_passphrase(char *buffer, int size, int writing, void *was_asked) {
  (void)buffer, (void)size, (void)writing;
  if (was_asked) *(int *)was_asked = 1;
  return -1;
}

static int read_chain(struct postern_certificate *certificate, const char *path, char *error, size_t error_size) {
  BIO *file = open_file(path, error, error_size);
  X509 *next;

  if (!file) return -1;
  certificate->leaf = PEM_read_bio_X509_AUX(file, NULL, no_passphrase, NULL);
  certificate->chain = sk_X509_new_null();
  if (!certificate->leaf || !certificate->chain) {
    explain(error, error_size, "holds no PEM certificate", path);
    BIO_free(file);
    return -1;
  }
  while ((next = PEM_read_bio_X509(file, NULL, no_passphrase, NULL))) sk_X509_push(certificate->chain, next);
  ERR_clear_error();
  BIO_free(file);
  return 0;
}

static int read_key(struct postern_certificate *certificate, const char *path, char *error, size_t error_size) {
  int was_asked = 0;
  BIO *file = open_file(path, error, error_size);

  if (!file) return -1;
  certificate->key = PEM_read_bio_PrivateKey(file, NULL, no_passphrase, &was_asked);
  BIO_free(file);
  if (certificate->key) return 0;
  if (was_asked) {
    snprintf(error, error_size, "%s is encrypted: the gateway asks for no passphrase", path);
    ERR_clear_error();
  } else {
    explain(error, error_size, "holds no PEM private key", path);
  }
  return -1;
}

// No client would take a certificate before or after its time.
static int check_time(const X509 *leaf, const char *path, char *error, size_t error_size) {
  const ASN1_TIME *start = X509_get0_notBefore(leaf), *end = X509_get0_notAfter(leaf);
  int is_early = X509_cmp_current_time(start) > 0, is_late = X509_cmp_current_time(end) < 0;
  char text[64] = "";
  BIO *memory;

  if (!is_early && !is_late) return 0;
  memory = BIO_new(BIO_s_mem());
  if (memory) {
    ASN1_TIME_print(memory, is_early ? start : end);
    BIO_read(memory, text, sizeof(text) - 1);
    BIO_free(memory);
  }
  snprintf(error, error_size, "%s %s %s", path, is_early ? "is not valid before" : "has expired:", text);
  ERR_clear_error();
  return -1;
}

struct postern_certificate *postern_certificate_read(const char *certificate_path, const char *key_path, char *error,
                                                     size_t error_size) {
  struct postern_certificate *certificate = calloc(1, sizeof(*certificate));

  if (!certificate) return NULL;
  ERR_clear_error();
  if (read_chain(certificate, certificate_path, error, error_size)) goto failed;
  if (read_key(certificate, key_path, error, error_size)) goto failed;
  if (X509_check_private_key(certificate->leaf, certificate->key) != 1) {
    snprintf(error, error_size, "%s is not the key of the certificate %s", key_path, certificate_path);
    ERR_clear_error();
    goto failed;
  }
  if (check_time(certificate->leaf, certificate_path, error, error_size)) goto failed;
  return certificate;

failed:
  postern_certificate_free(certificate);
  return NULL;
}

int postern_certificate_apply(const struct postern_certificate *certificate, SSL_CTX *context) {
  int ok = SSL_CTX_use_cert_and_key(context, certificate->leaf, certificate->key, certificate->chain, 1);

  ERR_clear_error();
  return ok == 1 ? 0 : -1;
}

X509 *postern_certificate_leaf(const struct postern_certificate *certificate) { return certificate->leaf; }

EVP_PKEY *postern_certificate_key(const struct postern_certificate *certificate) { return certificate->key; }

void postern_certificate_free(struct postern_certificate *certificate) {
  if (!certificate) return;
  X509_free(certificate->leaf);
  sk_X509_pop_free(certificate->chain, X509_free);
  EVP_PKEY_free(certificate->key);
  free(certificate);
}
