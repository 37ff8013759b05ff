internal import CLibWebSockets

/// Whoever libwebsockets tells of one connection: the object behind the connection's user pointer.
///
/// The connection holds it: ``attach(to:)`` retains, the library's last callback about the connection releases.
class Endpoint {
  /// The connection; nil before it exists and after it is gone.
  final var wsi: OpaquePointer?

  /// Makes this the one that hears of `wsi`, in place of who did before.
  final func attach(to wsi: OpaquePointer) {
    let before = lws_get_opaque_user_data(wsi)
    let pointer = Unmanaged.passRetained(self).toOpaque()
    self.wsi = wsi
    lws_set_wsi_user(wsi, pointer)
    lws_set_opaque_user_data(wsi, pointer)
    if let before { Unmanaged<Endpoint>.fromOpaque(before).release() }
  }

  /// Something happened; what `input` means depends on `reason`. Anything but 0 closes the connection.
  func happened(_ reason: lws_callback_reasons, _ input: UnsafeMutableRawPointer?, _ length: Int) -> Int32 {
    preconditionFailure("a kind of endpoint says what it does")
  }

  /// The library answers a ping. Called from inside its write, where nobody else may be told of it.
  func pingArrived() {}

  /// Whether a close frame may still be sent. Asked from inside the library's write, as above.
  var mayWriteClose: Bool { true }

  /// The connection no longer exists. The last call.
  func connectionDestroyed() {}

  /// The address of the peer, as text; empty if the system does not say.
  final func peerAddress() -> String {
    guard let wsi else { return "" }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      buffer.initialize(repeating: 0)
      guard lws_get_peer_simple(wsi, buffer.baseAddress, buffer.count) != nil else { return "" }
      return String(cString: buffer.baseAddress!)
    }
  }

  /// Takes every callback of the library in this process to the endpoint it is about.
  static let receiveCallbacks: Void = {
    LibraryLog.install()
    postern_set_head_receiver { connection, buffer, count, size in
      let connection = Unmanaged<ServerConnection>.fromOpaque(connection!).takeUnretainedValue()
      return connection.headArrived(UnsafeMutableRawBufferPointer(start: buffer, count: size), count)
    }
    postern_set_handshake_receiver { connection, end in
      Unmanaged<ServerConnection>.fromOpaque(connection!).takeUnretainedValue().handshakeEnded(
        TransportRefusals.Reason(end))
    }
    postern_set_ping_receiver { endpoint in
      guard let endpoint else { return }
      Unmanaged<Endpoint>.fromOpaque(endpoint).takeUnretainedValue().pingArrived()
    }
    postern_set_close_judge { endpoint in
      guard let endpoint else { return 1 }
      return Unmanaged<Endpoint>.fromOpaque(endpoint).takeUnretainedValue().mayWriteClose ? 1 : 0
    }
    postern_set_callback { wsi, rawReason, user, input, length in
      guard let wsi else { return 0 }
      let reason = lws_callback_reasons(UInt32(rawReason))
      switch reason {
      case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        VirtualHost.hasTLS(wsi, user)
        return 0
      case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
        lws_set_wsi_user(wsi, lws_get_opaque_user_data(wsi))
        return 0
      case LWS_CALLBACK_WSI_DESTROY:
        guard let pointer = lws_get_opaque_user_data(wsi) else { return 0 }
        let endpoint = Unmanaged<Endpoint>.fromOpaque(pointer).takeRetainedValue()
        endpoint.wsi = nil
        endpoint.connectionDestroyed()
        return 0
      default:
        guard let user else { return 0 }
        // Retained meanwhile: it may give its place to another.
        return Unmanaged<Endpoint>.fromOpaque(user).takeUnretainedValue().happened(reason, input, length)
      }
    }
  }()
}
