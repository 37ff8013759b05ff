package import GatewayCore
package import GatewayRuntime

/// A request that the proxy answers itself. The field `Postern-Proxy` names the reason, so that the answer is not
/// mistaken for the target's.
package struct ProxyRefusal: Hashable, Sendable {
  /// The name of the reason, e.g. `upstream_unreachable`.
  package let name: String
  package let status: Int
  package let text: String
  /// The time after which to try again; nil if that is of no use.
  package var retryAfter: Duration?

  package static let field = "postern-proxy"
  /// The beginning of the text of a failed connection attempt.
  private static let connecting = "connect: "

  /// The refusal of a request that could not be sent to `target`, or was not answered.
  package init(_ failure: DialFailure, of target: ProxyTarget) {
    switch failure {
    case .timedOut:
      self.init("upstream_timeout", 504, "\(target.text) did not answer in time")
    case .insecure(.peerWantsTLS):
      let hint = "give --to with wss:// or https://"
      self.init("upstream_tls", 502, "cannot connect to \(target.text): \(failure); \(hint)")
    case .insecure(.untrusted):
      let hint = "add --upstream-ca FILE"
      self.init("upstream_tls", 502, "cannot connect to \(target.text): \(failure); \(hint)")
    case .insecure:
      self.init("upstream_tls", 502, "cannot connect to \(target.text): \(failure)")
    case .unreachable(let reason) where reason.utf8.starts(with: Self.connecting.utf8):
      let reason = reason.dropFirst(Self.connecting.count)
      self.init("upstream_unreachable", 502, "cannot connect to \(target.text): \(reason); check --to")
    case .unreachable, .refused:
      self.init("upstream_unreachable", 502, "no answer from \(target.text): \(failure)")
    }
  }

  init(_ name: String, _ status: Int, _ text: String, retryAfter: Duration? = nil) {
    self.name = name
    self.status = status
    self.text = text
    self.retryAfter = retryAfter
  }

  package var response: HTTPResponse {
    var response = HTTPResponse(
      status: status, contentType: "text/plain; charset=utf-8", text: "\(status) \(name): \(text)\n")
    response.headers.append(HTTPField(Self.field, name))
    if let retryAfter {
      let seconds = max(1, Int(retryAfter.inSeconds.rounded(.up)))
      response.headers.append(HTTPField("retry-after", String(seconds)))
    }
    return response
  }
}
