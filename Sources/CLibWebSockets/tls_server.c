#include "postern_lws.h"

#include <openssl/err.h>

// Not one of SSL_read(): that is the library's, and noted (interposition.c).

SSL *postern_tls_server(SSL_CTX *context, int fd) {
  SSL *ssl = SSL_new(context);

  if (ssl) {
    SSL_set_mode(ssl, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    SSL_set_fd(ssl, fd);
    SSL_set_accept_state(ssl);
  }
  ERR_clear_error();
  return ssl;
}

static int reason(SSL *ssl, int result) {
  switch (SSL_get_error(ssl, result)) {
  case SSL_ERROR_WANT_READ:
    return postern_tls_wants_read;
  case SSL_ERROR_WANT_WRITE:
    return postern_tls_wants_write;
  case SSL_ERROR_ZERO_RETURN:
    return 0;
  default:
    return postern_tls_broken;
  }
}

int postern_tls_accept(SSL *ssl, enum postern_tls_end *end) {
  int result, step;

  ERR_clear_error();
  result = SSL_do_handshake(ssl);
  if (result == 1) return 1;
  step = reason(ssl, result);
  // A peer that ends or resets the connection leaves no error of OpenSSL's own.
  *end = SSL_get_error(ssl, result) == SSL_ERROR_SSL ? postern_tls_classify(ssl) : postern_tls_ended;
  ERR_clear_error();
  return step == 0 ? postern_tls_broken : step;
}

ssize_t postern_tls_read(SSL *ssl, void *buffer, size_t size) {
  size_t count;
  int result, step;

  ERR_clear_error();
  result = SSL_read_ex(ssl, buffer, size, &count);
  if (result == 1) return (ssize_t)count;
  step = reason(ssl, result);
  ERR_clear_error();
  return step;
}

ssize_t postern_tls_write(SSL *ssl, const void *bytes, size_t size) {
  size_t count;
  int result, step;

  ERR_clear_error();
  result = SSL_write_ex(ssl, bytes, size, &count);
  if (result == 1) return (ssize_t)count;
  step = reason(ssl, result);
  ERR_clear_error();
  return step == 0 ? postern_tls_broken : step;
}

void postern_tls_end_sending(SSL *ssl) {
  ERR_clear_error();
  SSL_shutdown(ssl);
  ERR_clear_error();
}
