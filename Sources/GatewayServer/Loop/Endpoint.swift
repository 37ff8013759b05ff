internal import CLibWebSockets
internal import GatewayCore

/// The object behind a libwebsockets connection's user pointer, which receives the callbacks of that connection.
///
/// The connection owns it: ``attach(to:)`` retains it, and the library's last callback about the connection releases it.
class Endpoint {
  /// The connection; nil before it exists and after it is gone.
  final var wsi: OpaquePointer?

  /// Makes this the receiver of the callbacks of `wsi`.
  final func attach(to wsi: OpaquePointer) {
    let pointer = Unmanaged.passRetained(self).toOpaque()
    self.wsi = wsi
    lws_set_wsi_user(wsi, pointer)
    lws_set_opaque_user_data(wsi, pointer)
  }

  /// Handles a callback. The meaning of `input` depends on `reason`. A result other than 0 closes the connection.
  func happened(_ reason: lws_callback_reasons, _ input: UnsafeMutableRawPointer?, _ length: Int) -> Int32 {
    preconditionFailure("a kind of endpoint says what it does")
  }

  /// Returns whether a pong with this payload may be written. It is called from inside the library's write, where no other code
  /// may be notified, for its answers to pings and for pongs of our own.
  func mayWritePong(_ payload: UnsafeRawBufferPointer) -> Bool { true }

  /// Notes a ping of a watched connection. It is called from inside the library's read, where nothing may be written.
  func heardPing(_ payload: UnsafeRawBufferPointer) {}

  /// Whether a close frame may still be sent. It is read from inside the library's write.
  var mayWriteClose: Bool { true }

  /// Handles the peer's end, which the library does not report for a connection that reads nothing.
  func peerHasGone() {}

  /// Handles the destruction of the connection. This is the last call.
  func connectionDestroyed() {}

  /// Directs every libwebsockets callback of this process to its endpoint.
  static let receiveCallbacks: Void = {
    LibraryLog.install()
    postern_set_ping_judge { endpoint, payload, size in
      guard let endpoint else { return 1 }
      let payload = UnsafeRawBufferPointer(start: payload, count: size)
      return Unmanaged<Endpoint>.fromOpaque(endpoint).takeUnretainedValue().mayWritePong(payload) ? 1 : 0
    }
    postern_set_ping_listener { endpoint, payload, size in
      guard let endpoint else { return }
      Unmanaged<Endpoint>.fromOpaque(endpoint).takeUnretainedValue()
        .heardPing(UnsafeRawBufferPointer(start: payload, count: size))
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
        // Retained during the call, because another endpoint may replace it.
        return Unmanaged<Endpoint>.fromOpaque(user).takeUnretainedValue().happened(reason, input, length)
      }
    }
  }()
}
