internal import GatewayCore
package import GatewayTokens

/// The SFU's stand-in as the coordinator's side knows it: where it is, `http://localhost:8080` for instance, the tokens
/// that open it, and how long it is patient.
///
/// Nothing is kept for those who have joined over REST and not come yet: the token says it all, so that a join that
/// fails leaves nothing behind.
package struct StreamSFU: Sendable {
  let policy: StreamSFUPolicy
  let tokens: StreamSFUTokens
  let executor: any (SerialExecutor & TaskExecutor)

  /// - Parameters:
  ///   - policy: Where clients find it, and how long it gives them.
  ///   - executor: One that `GatewayServices.sleep(for:as:)` may be called from: a loop of the gateway.
  package init(
    _ policy: StreamSFUPolicy, on executor: any (SerialExecutor & TaskExecutor), secrets: Secrets
  ) {
    self.policy = policy
    self.executor = executor
    tokens = StreamSFUTokens(life: policy.tokenLife, secrets: secrets)
  }

  /// Where clients find it who sent `request`; nil if nobody can say where that was sent to.
  func address(for request: HTTPRequest) -> StreamSFUAddress? {
    if let address = policy.address { return StreamSFUAddress(address) }
    return request.host.map { StreamSFUAddress("http\(policy.isSecure ? "s" : "")://\($0)") }
  }
}

/// The address of an SFU: the stand-in's places at an address such as `https://calls.example`, or those of one
/// elsewhere.
struct StreamSFUAddress: Hashable {
  /// What the paths of the SFU's remote procedures follow.
  let url: String
  let socket: String

  init(url: String, socket: String) {
    self.url = url
    self.socket = socket
  }

  /// - Parameter address: Without a path, and without `/` at its end.
  init(_ address: String) {
    url = address + StreamSFURoutes.folder
    // "http" becomes "ws", "https" becomes "wss".
    socket = "ws" + address.dropFirst("http".utf8.count) + StreamSFUDialect.socketPath
  }
}
