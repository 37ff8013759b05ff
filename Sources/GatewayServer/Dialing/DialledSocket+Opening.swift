internal import GatewayCore
internal import GatewayRuntime

extension DialledSocket {
  /// A stage of the socket's life.
  enum Phase: UInt8 {
    /// The upgrade is not answered yet.
    case opening
    case open
    /// Our close frame waits or is sent; nothing else is sent any more.
    case closing
    /// Ended; the handler will be notified soon.
    case dropped
    /// Ended, and the handler has been notified.
    case ended
  }

  /// The state that is needed until the socket is open, e.g. the `Sec-WebSocket-Accept` that the server must answer.
  struct Opening {
    var request: [UInt8]
    let accept: [UInt8]
    let subprotocols: [String]
    var answer: [UInt8] = []
    /// The refusal whose body is being read.
    var refusal: HTTPResponseParser?
  }

  var limits: ServerLimits { loop.limits }

  var peer: String {
    guard case .success(let found) = dialer.addresses.addresses(of: target, at: loop.now) else { return target.host }
    return SocketAddress.ofPeer(descriptor)?.text ?? found.first?.text ?? target.host
  }
}
