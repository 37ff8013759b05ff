#define _GNU_SOURCE
#include "postern_lws.h"

#include <poll.h>
#include <sys/socket.h>

void postern_reset_on_close(int fd) {
  struct linger none = {1, 0};

  setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
}

void postern_reset(struct lws *wsi) {
  struct sockaddr nobody = {.sa_family = AF_UNSPEC};
  SSL *ssl = lws_get_ssl(wsi);
  int fd = lws_get_socket_fd(wsi);

  if (ssl) SSL_set_quiet_shutdown(ssl, 1);
  postern_reset_on_close(fd);
  // The library calls shutdown() before it closes, and the peer would see that end first. If the socket is connected to
  // no address (connect(2)), Linux resets the connection at once.
  connect(fd, &nobody, sizeof(nobody));
}

int postern_peer_has_gone(int fd) {
  struct pollfd entry = {fd, POLLRDHUP, 0};

  return poll(&entry, 1, 0) > 0;
}
