#define _GNU_SOURCE
#include "postern_lws.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// Clocks of test machines differ.
static const long clock_skew = 300;
static const long leaf_seconds = 30 * 24 * 3600L;

static int explain(char *error, size_t error_size, const char *what) {
  unsigned long code = ERR_peek_last_error();
  const char *reason = code ? ERR_reason_error_string(code) : NULL;

  snprintf(error, error_size, "%s%s%s", what, reason ? ": " : "", reason ? reason : "");
  ERR_clear_error();
  return -1;
}

static int add_extension(X509 *certificate, X509 *issuer, int nid, const char *value) {
  X509V3_CTX context;
  X509_EXTENSION *extension;
  int ok;

  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
  ok = extension && X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return ok;
}

static int add_extension_of(X509 *certificate, int nid, void *value, int critical) {
  return X509_add1_ext_i2d(certificate, nid, value, critical, X509V3_ADD_DEFAULT) == 1;
}

// A name as certificates have it; with `mask`, an address comes with a mask that allows only itself.
static GENERAL_NAME *general_name(const char *host, int mask) {
  unsigned char bytes[32];
  size_t size = inet_pton(AF_INET, host, bytes) == 1 ? 4 : inet_pton(AF_INET6, host, bytes) == 1 ? 16 : 0;
  GENERAL_NAME *name = GENERAL_NAME_new();
  ASN1_STRING *text = size ? (ASN1_STRING *)ASN1_OCTET_STRING_new() : (ASN1_STRING *)ASN1_IA5STRING_new();
  int ok;

  memset(bytes + size, 0xff, size);
  ok = name && text && ASN1_STRING_set(text, size ? (const void *)bytes : host, size ? (int)(mask ? 2 * size : size) : -1);
  if (!ok) {
    GENERAL_NAME_free(name);
    ASN1_STRING_free(text);
    return NULL;
  }
  GENERAL_NAME_set0_value(name, size ? GEN_IPADD : GEN_DNS, text);
  return name;
}

static int add_constraints(X509 *certificate, const char *const *names, size_t count) {
  NAME_CONSTRAINTS *constraints = NAME_CONSTRAINTS_new();
  int ok = constraints && (constraints->permittedSubtrees = sk_GENERAL_SUBTREE_new_null());
  size_t index;

  for (index = 0; ok && index < count; index++) {
    GENERAL_SUBTREE *subtree = GENERAL_SUBTREE_new();
    GENERAL_NAME *name = general_name(names[index], 1);

    ok = subtree && name && sk_GENERAL_SUBTREE_push(constraints->permittedSubtrees, subtree) > 0;
    if (!ok) {
      GENERAL_SUBTREE_free(subtree);
      GENERAL_NAME_free(name);
      break;
    }
    GENERAL_NAME_free(subtree->base);
    subtree->base = name;
  }
  ok = ok && add_extension_of(certificate, NID_name_constraints, constraints, 1);
  NAME_CONSTRAINTS_free(constraints);
  return ok;
}

static int add_names(X509 *certificate, const char *const *names, size_t count) {
  GENERAL_NAMES *list = GENERAL_NAMES_new();
  size_t index;
  int ok = list != NULL;

  for (index = 0; ok && index < count; index++) {
    GENERAL_NAME *name = general_name(names[index], 0);

    ok = name && sk_GENERAL_NAME_push(list, name) > 0;
    if (!ok) GENERAL_NAME_free(name);
  }
  ok = ok && add_extension_of(certificate, NID_subject_alt_name, list, 0);
  GENERAL_NAMES_free(list);
  return ok;
}

static int add_serial(X509 *certificate) {
  unsigned char bytes[16];
  BIGNUM *number;
  int ok;

  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return 0;
  bytes[0] = (bytes[0] & 0x7f) | 0x40;
  number = BN_bin2bn(bytes, sizeof(bytes), NULL);
  ok = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
  BN_free(number);
  return ok;
}

static X509 *begin_certificate(EVP_PKEY *key, const char *title, long seconds) {
  X509 *certificate = X509_new();
  X509_NAME *name;

  if (!certificate) return NULL;
  name = X509_get_subject_name(certificate);
  if (X509_set_version(certificate, 2) && add_serial(certificate) &&
      X509_gmtime_adj(X509_getm_notBefore(certificate), -clock_skew) &&
      X509_gmtime_adj(X509_getm_notAfter(certificate), seconds) && X509_set_pubkey(certificate, key) &&
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)title, -1, -1, 0))
    return certificate;
  X509_free(certificate);
  return NULL;
}

// Never replaces a file, and nobody else may read it.
static BIO *create_file(const char *path, char *error, size_t error_size) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
  BIO *bio = file ? BIO_new_fp(file, BIO_CLOSE) : NULL;

  if (bio) return bio;
  if (errno == EEXIST)
    snprintf(error, error_size, "%s exists already; give another --out, or remove the folder's two files", path);
  else
    snprintf(error, error_size, "cannot write %s: %s", path, strerror(errno));
  if (file)
    fclose(file);
  else if (fd >= 0)
    close(fd);
  return NULL;
}

static int write_files(X509 *certificate, EVP_PKEY *key, const char *certificate_path, const char *key_path, char *error,
                       size_t error_size) {
  BIO *file = create_file(key_path, error, error_size);
  int ok;

  if (!file) return -1;
  ok = PEM_write_bio_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1 && BIO_flush(file) == 1;
  BIO_free(file);
  if (ok) {
    file = create_file(certificate_path, error, error_size);
    if (file) {
      ok = PEM_write_bio_X509(file, certificate) == 1 && BIO_flush(file) == 1;
      BIO_free(file);
      if (ok) return 0;
      unlink(certificate_path);
    } else {
      unlink(key_path);
      return -1;
    }
  }
  unlink(key_path);
  return explain(error, error_size, "cannot write the authority's files");
}

int postern_authority_create(const char *const *names, size_t count, long seconds, const char *certificate_path,
                             const char *key_path, char *error, size_t error_size) {
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *certificate = key ? begin_certificate(key, "Postern proxy, for tests only", seconds) : NULL;
  int result = -1;

  if (certificate && X509_set_issuer_name(certificate, X509_get_subject_name(certificate)) &&
      add_extension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
      add_extension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") &&
      add_extension(certificate, certificate, NID_ext_key_usage, "serverAuth") &&
      add_extension(certificate, certificate, NID_subject_key_identifier, "hash") &&
      add_constraints(certificate, names, count) && X509_sign(certificate, key, EVP_sha256()) > 0)
    result = write_files(certificate, key, certificate_path, key_path, error, error_size);
  else
    explain(error, error_size, "cannot make the authority");
  X509_free(certificate);
  EVP_PKEY_free(key);
  ERR_clear_error();
  return result;
}

int postern_authority_check(const struct postern_certificate *authority) {
  X509 *certificate = postern_certificate_leaf(authority);
  int critical = 0;
  NAME_CONSTRAINTS *constraints = X509_get_ext_d2i(certificate, NID_name_constraints, &critical, NULL);
  int ok = constraints && critical == 1 && X509_check_ca(certificate) == 1;

  NAME_CONSTRAINTS_free(constraints);
  ERR_clear_error();
  return ok ? 0 : -1;
}

static int choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *size, const unsigned char *offered,
                           unsigned int offered_size, void *unused) {
  static const unsigned char http[] = "\x08http/1.1";

  (void)ssl, (void)unused;
  if (SSL_select_next_proto((unsigned char **)chosen, size, http, sizeof(http) - 1, offered, offered_size) ==
      OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_OK;
  return SSL_TLSEXT_ERR_NOACK;
}

static X509 *make_leaf(X509 *authority, EVP_PKEY *authority_key, EVP_PKEY *key, const char *const *names, size_t count) {
  X509 *leaf = begin_certificate(key, "Postern proxy", leaf_seconds);

  if (!leaf) return NULL;
  if (ASN1_TIME_compare(X509_get0_notAfter(leaf), X509_get0_notAfter(authority)) <= 0 ||
      X509_set1_notAfter(leaf, X509_get0_notAfter(authority))) {
    if (X509_set_issuer_name(leaf, X509_get_subject_name(authority)) &&
        add_extension(leaf, authority, NID_basic_constraints, "critical,CA:FALSE") &&
        add_extension(leaf, authority, NID_key_usage, "critical,digitalSignature") &&
        add_extension(leaf, authority, NID_ext_key_usage, "serverAuth") &&
        add_extension(leaf, authority, NID_subject_key_identifier, "hash") &&
        add_extension(leaf, authority, NID_authority_key_identifier, "keyid:always") && add_names(leaf, names, count) &&
        X509_sign(leaf, authority_key, EVP_sha256()) > 0)
      return leaf;
  }
  X509_free(leaf);
  return NULL;
}

static int is_permitted(X509 *leaf, X509 *authority) {
  NAME_CONSTRAINTS *constraints = X509_get_ext_d2i(authority, NID_name_constraints, NULL, NULL);
  // OpenSSL checks only the names that it has read from the extensions, which a purpose of -1 does.
  int ok = constraints && X509_check_purpose(leaf, -1, 0) == 1 && NAME_CONSTRAINTS_check(leaf, constraints) == X509_V_OK;

  NAME_CONSTRAINTS_free(constraints);
  return ok;
}

SSL_CTX *postern_authority_context(const struct postern_certificate *authority, const char *const *names, size_t count,
                                   char *error, size_t error_size) {
  X509 *signer = postern_certificate_leaf(authority);
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *leaf = key ? make_leaf(signer, postern_certificate_key(authority), key, names, count) : NULL;
  SSL_CTX *context = leaf ? SSL_CTX_new(TLS_server_method()) : NULL;
  int ok = 0;

  if (leaf && !is_permitted(leaf, signer)) {
    snprintf(error, error_size, "the authority's name constraints do not allow %s", count ? names[0] : "it");
  } else if (context && SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
             SSL_CTX_use_cert_and_key(context, leaf, key, NULL, 1) == 1 && SSL_CTX_add1_chain_cert(context, signer) == 1) {
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    ok = 1;
  } else {
    explain(error, error_size, "cannot make a certificate");
  }
  if (!ok) {
    SSL_CTX_free(context);
    context = NULL;
  }
  X509_free(leaf);
  EVP_PKEY_free(key);
  ERR_clear_error();
  return context;
}
