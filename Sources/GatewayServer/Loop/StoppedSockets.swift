internal import CLibWebSockets

/// The WebSockets of a loop that read nothing from their peers, e.g. because of a simulated fault. The library watches for no
/// event of theirs, so the peers' end is checked twice a second.
final class StoppedSockets {
  private var sockets: [ObjectIdentifier: Endpoint] = [:]

  func add(_ socket: Endpoint) { sockets[ObjectIdentifier(socket)] = socket }

  func remove(_ socket: Endpoint) { sockets[ObjectIdentifier(socket)] = nil }

  /// Notifies the sockets whose peers have gone.
  func tellThoseAlone() {
    for socket in sockets.values {
      if let wsi = socket.wsi, postern_peer_has_gone(lws_get_socket_fd(wsi)) != 0 { socket.peerHasGone() }
    }
  }
}
