#include "postern_lws.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <string.h>

SSL_CTX *postern_tls_client_context(int allows_untrusted) {
  SSL_CTX *context = SSL_CTX_new(TLS_client_method());

  if (!context) return NULL;
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_default_verify_paths(context);
  SSL_CTX_set_verify(context, allows_untrusted ? SSL_VERIFY_NONE : SSL_VERIFY_PEER, NULL);
  ERR_clear_error();
  return context;
}

int postern_tls_client_trust(SSL_CTX *context, const char *path, char *error, size_t error_size) {
  X509_STORE *store = X509_STORE_new();
  int loaded = store && X509_STORE_load_file(store, path) == 1;

  if (loaded) {
    SSL_CTX_set_cert_store(context, store);
  } else {
    unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;

    snprintf(error, error_size, "%s holds no certificate of somebody to trust%s%s", path, reason ? ": " : "",
             reason ? reason : "");
    X509_STORE_free(store);
  }
  ERR_clear_error();
  return loaded ? 0 : -1;
}

SSL *postern_tls_client(SSL_CTX *context, int fd, const char *host) {
  static const unsigned char protocols[] = "\x08http/1.1";
  SSL *ssl = SSL_new(context);

  if (!ssl) return NULL;
  SSL_set_fd(ssl, fd);
  SSL_set_alpn_protos(ssl, protocols, sizeof(protocols) - 1);
  // An address is matched against the certificate's addresses, and is no name to ask for (RFC 6066 section 3).
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) != 1) {
    SSL_set1_host(ssl, host);
    SSL_set_tlsext_host_name(ssl, host);
  }
  ERR_clear_error();
  return ssl;
}

enum postern_tls_end postern_tls_verification(long result) {
  switch (result) {
  case X509_V_OK:
    return postern_tls_done;
  case X509_V_ERR_CERT_HAS_EXPIRED:
    return postern_tls_expired;
  case X509_V_ERR_CERT_NOT_YET_VALID:
    return postern_tls_not_yet_valid;
  case X509_V_ERR_HOSTNAME_MISMATCH:
  case X509_V_ERR_IP_ADDRESS_MISMATCH:
    return postern_tls_wrong_name;
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
  case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
  case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
  case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
  case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
  case X509_V_ERR_CERT_UNTRUSTED:
    return postern_tls_untrusted;
  default:
    return postern_tls_bad_certificate;
  }
}

enum postern_tls_end postern_tls_classify(SSL *ssl) {
  unsigned long code = ERR_peek_error();

  if (ERR_GET_LIB(code) != ERR_LIB_SSL) return postern_tls_failed;
  switch (ERR_GET_REASON(code)) {
  case SSL_R_CERTIFICATE_VERIFY_FAILED:
    return postern_tls_verification(SSL_get_verify_result(ssl));
  case SSL_R_HTTP_REQUEST:
  case SSL_R_HTTPS_PROXY_REQUEST:
  case SSL_R_WRONG_VERSION_NUMBER:
  case SSL_R_PACKET_LENGTH_TOO_LONG:
    return postern_tls_plain_text;
  case SSL_R_UNEXPECTED_EOF_WHILE_READING:
    return postern_tls_ended;
  // The server's alerts about a client's certificate, or about a missing one.
  case SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_REQUIRED:
  case SSL_AD_REASON_OFFSET + SSL_AD_BAD_CERTIFICATE:
  case SSL_AD_REASON_OFFSET + SSL_AD_UNKNOWN_CA:
  case SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_EXPIRED:
  case SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_REVOKED:
  case SSL_AD_REASON_OFFSET + SSL_AD_CERTIFICATE_UNKNOWN:
  case SSL_AD_REASON_OFFSET + SSL_AD_UNSUPPORTED_CERTIFICATE:
    return postern_tls_client_unwelcome;
  default:
    // OpenSSL's numbers of received alerts are theirs and 1000.
    return ERR_GET_REASON(code) >= SSL_AD_REASON_OFFSET ? postern_tls_alert : postern_tls_failed;
  }
}

enum postern_tls_end postern_tls_explain(SSL *ssl, char *text, size_t size) {
  unsigned long code = ERR_peek_error();
  enum postern_tls_end end = code ? postern_tls_classify(ssl) : postern_tls_failed;
  const char *reason = code ? ERR_reason_error_string(code) : NULL;

  snprintf(text, size, "%s", reason ? reason : errno ? strerror(errno) : "the connection ended");
  ERR_clear_error();
  return end;
}
