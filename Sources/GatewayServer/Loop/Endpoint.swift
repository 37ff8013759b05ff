internal import CLibWebSockets
internal import GatewayCore

/// The object behind a connection's user pointer, whom libwebsockets tells of that one connection: the
/// ``WebSocketHandle`` of ann's, for instance.
///
/// The connection holds it: ``attach(to:)`` retains, the library's last callback about the connection releases.
class Endpoint {
  /// The connection; nil before it exists and after it is gone.
  final var wsi: OpaquePointer?

  /// Makes this the one that hears of `wsi`.
  final func attach(to wsi: OpaquePointer) {
    let pointer = Unmanaged.passRetained(self).toOpaque()
    self.wsi = wsi
    lws_set_wsi_user(wsi, pointer)
    lws_set_opaque_user_data(wsi, pointer)
  }

  /// Something happened; what `input` means depends on `reason`. Anything but 0 closes the connection.
  func happened(_ reason: lws_callback_reasons, _ input: UnsafeMutableRawPointer?, _ length: Int) -> Int32 {
    preconditionFailure("a kind of endpoint says what it does")
  }

  /// The library answers a ping. Called from inside its write, where nobody else may be told of it. Whether the answer may
  /// be sent.
  func pingArrived() -> Bool { true }

  /// Whether a close frame may still be sent. Asked from inside the library's write, as above.
  var mayWriteClose: Bool { true }

  /// The peer's end has been found out, which the library does not tell of who reads nothing.
  func peerHasGone() {}

  /// The connection no longer exists. The last call.
  func connectionDestroyed() {}

  /// Takes every callback of the library in this process to the endpoint it is about.
  static let receiveCallbacks: Void = {
    LibraryLog.install()
    postern_set_ping_judge { endpoint in
      guard let endpoint else { return 1 }
      return Unmanaged<Endpoint>.fromOpaque(endpoint).takeUnretainedValue().pingArrived() ? 1 : 0
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
        VirtualHost.of(wsi)?.arriving?.attach(to: wsi)
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
