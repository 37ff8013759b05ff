internal import CLibWebSockets

/// The WebSockets of a loop that take nothing from their peers, since a fault has them stop reading for instance:
/// whether those are still there, nobody tells, since the library watches for nothing then. So it is looked up, twice a
/// second.
final class StoppedSockets {
  private var sockets: [ObjectIdentifier: Endpoint] = [:]

  func add(_ socket: Endpoint) { sockets[ObjectIdentifier(socket)] = socket }

  func remove(_ socket: Endpoint) { sockets[ObjectIdentifier(socket)] = nil }

  /// Tells those whose peers have gone.
  func tellThoseAlone() {
    for socket in sockets.values {
      if let wsi = socket.wsi, postern_peer_has_gone(lws_get_socket_fd(wsi)) != 0 { socket.peerHasGone() }
    }
  }
}
