#include "postern_lws.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <stdio.h>
#include <stdlib.h>

struct postern_certificate {
  X509 *leaf;
  STACK_OF(X509) *chain;
  EVP_PKEY *key;
};

static void explain(char *error, size_t error_size, const char *what, const char *path) {
  unsigned long code = ERR_peek_last_error();
  const char *reason = code ? ERR_reason_error_string(code) : NULL;

  snprintf(error, error_size, "%s %s: %s", path, what, reason ? reason : "unreadable");
  ERR_clear_error();
}

// An encrypted key must fail rather than ask for its passphrase on the terminal.
static int no_passphrase(char *buffer, int size, int writing, void *user) {
  (void)buffer, (void)size, (void)writing, (void)user;
  return -1;
}

static int read_chain(struct postern_certificate *certificate, const char *path, char *error, size_t error_size) {
  BIO *file = BIO_new_file(path, "r");
  X509 *next;

  if (!file) {
    explain(error, error_size, "cannot be opened", path);
    return -1;
  }
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

struct postern_certificate *postern_certificate_read(const char *certificate_path, const char *key_path, char *error,
                                                     size_t error_size) {
  struct postern_certificate *certificate = calloc(1, sizeof(*certificate));
  BIO *file;

  if (!certificate) return NULL;
  ERR_clear_error();
  if (read_chain(certificate, certificate_path, error, error_size)) goto failed;
  file = BIO_new_file(key_path, "r");
  if (!file) {
    explain(error, error_size, "cannot be opened", key_path);
    goto failed;
  }
  certificate->key = PEM_read_bio_PrivateKey(file, NULL, no_passphrase, NULL);
  BIO_free(file);
  if (!certificate->key) {
    explain(error, error_size, "holds no unencrypted PEM private key", key_path);
    goto failed;
  }
  if (X509_check_private_key(certificate->leaf, certificate->key) != 1) {
    explain(error, error_size, "is not the key of the certificate", key_path);
    goto failed;
  }
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

void postern_certificate_free(struct postern_certificate *certificate) {
  if (!certificate) return;
  X509_free(certificate->leaf);
  sk_X509_pop_free(certificate->chain, X509_free);
  EVP_PKEY_free(certificate->key);
  free(certificate);
}
