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

void postern_tls_explain(SSL *ssl, char *text, size_t size) {
  long verification = SSL_get_verify_result(ssl);
  unsigned long code = ERR_peek_error();

  if (verification != X509_V_OK)
    snprintf(text, size, "certificate: %s", X509_verify_cert_error_string(verification));
  else if (code)
    snprintf(text, size, "TLS: %s", ERR_reason_error_string(code) ? ERR_reason_error_string(code) : "failed");
  else
    snprintf(text, size, "%s", errno ? strerror(errno) : "the connection ended");
  ERR_clear_error();
}
