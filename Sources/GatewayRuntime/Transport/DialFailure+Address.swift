internal import GatewayCore

extension DialFailure {
  /// Returns what to write if a gateway's address may have the wrong scheme, e.g. `; if it wants TLS, --url with wss://`;
  /// empty if nothing points at that.
  ///
  /// - Parameter isTLS: Whether TLS was spoken, or was to be.
  package func addressHint(isTLS: Bool) -> String { hint(isTLS, "--url", plain: "ws://", secure: "wss://") }

  /// Returns the same hint for a token provider, whose default address is the gateway's.
  package func addressHint(of provider: DialTarget, besides gateway: DialTarget) -> String {
    guard (provider.host, provider.port) != (gateway.host, gateway.port) else {
      return addressHint(isTLS: provider.isTLS)
    }
    return hint(provider.isTLS, "--provider", plain: "http://", secure: "https://")
  }

  private func hint(_ isTLS: Bool, _ flag: String, plain: String, secure: String) -> String {
    switch self {
    case .insecure(.peerWantsTLS): "; \(flag) with \(secure)"
    case .insecure(.plainText): "; \(flag) with \(plain)"
    // Some servers close without an answer if a client speaks the other protocol; nginx, Go and others answer 400.
    case .insecure(.handshake): "; if no TLS is spoken there, \(flag) with \(plain)"
    case .unreachable(let text) where text.hasPrefix("receive") || text.contains(bytesOf: "ended before"):
      isTLS ? "" : "; if it wants TLS, \(flag) with \(secure)"
    case .refused(status: 400): isTLS ? "" : "; if it wants TLS, \(flag) with \(secure)"
    case .unreachable, .insecure, .refused, .timedOut: ""
    }
  }
}
