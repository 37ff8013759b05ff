internal import GatewayCore
internal import GatewayTokens

/// The gateway's own SFU as the coordinator sees it: its address, its tokens and its timeouts.
///
/// Nothing is stored for users who have joined over REST and not connected yet: the token contains everything, so a
/// failed join leaves nothing behind.
struct StreamSFU: Sendable {
  let policy: StreamSFUPolicy
  let tokens: StreamSFUTokens
  let executor: any (SerialExecutor & TaskExecutor)

  /// Creates the SFU.
  ///
  /// - Parameters:
  ///   - policy: Its address and its timeouts.
  ///   - executor: An executor from which `GatewayServices.sleep(for:as:)` may be called: a loop of the gateway.
  init(
    _ policy: StreamSFUPolicy, on executor: any (SerialExecutor & TaskExecutor), secrets: Secrets
  ) {
    self.policy = policy
    self.executor = executor
    tokens = StreamSFUTokens(life: policy.tokenLife, secrets: secrets)
  }

  /// Returns the SFU's address for the client that sent `request`; nil if the request does not say to which host it was
  /// sent.
  func address(for request: HTTPRequest) -> StreamSFUAddress? {
    if let address = policy.address { return StreamSFUAddress(address) }
    return request.host.map { StreamSFUAddress("http\(policy.isSecure ? "s" : "")://\($0)") }
  }
}

/// The address of an SFU: the paths of the gateway's own below an address such as `https://calls.example`, or an
/// external one's paths.
struct StreamSFUAddress: Hashable {
  /// The prefix of the paths of the SFU's remote procedures.
  let url: String
  let socket: String

  init(url: String, socket: String) {
    self.url = url
    self.socket = socket
  }

  /// Creates the address of the gateway's own SFU.
  ///
  /// - Parameter address: An address without a path and without a trailing `/`.
  init(_ address: String) {
    url = address + StreamSFURoutes.folder
    // "http" becomes "ws", "https" becomes "wss".
    socket = "ws" + address.dropFirst("http".utf8.count) + StreamSFUDialect.socketPath
  }
}
