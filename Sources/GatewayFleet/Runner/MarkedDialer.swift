package import GatewayCore
package import GatewayRuntime

/// The mark of a storm in every request and upgrade. The operator of the target can identify the storm by it and filter
/// its requests: `User-Agent: postern-storm/1.0` and `Postern-Storm: 5f3a…`, the run.
package struct StormMark: Hashable, Sendable {
  /// The program with its version.
  package let agent: String
  /// The run, the same in all its parts.
  package let run: String

  package init(agent: String, run: String) {
    self.agent = agent
    self.run = run
  }

  /// Returns the request with the mark. A User-Agent of a description or a dialect stays; the run is always present.
  package func marked(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    request.headers.removeAll { $0.name == Self.field }
    if request.header("user-agent") == nil { request.headers.append(HTTPField("user-agent", agent)) }
    request.headers.append(HTTPField(Self.field, run))
    return request
  }

  private static let field = "postern-storm"
}

/// A dialer that adds a storm's mark to every upgrade and request.
package final class MarkedDialer: Dialer {
  private let network: any Dialer
  private let mark: StormMark

  package init(_ network: any Dialer, _ mark: StormMark) {
    self.network = network
    self.mark = mark
  }

  package func dial(
    _ target: DialTarget, upgrade: HTTPRequest, subprotocols: [String], handler: any SocketHandler
  ) {
    network.dial(target, upgrade: mark.marked(upgrade), subprotocols: subprotocols, handler: handler)
  }

  package func cancelDial(of handler: any SocketHandler) { network.cancelDial(of: handler) }

  package nonisolated(nonsending) func fetch(
    _ request: HTTPRequest, from target: DialTarget, timeout: Duration
  ) async -> Result<HTTPResponse, DialFailure> {
    await network.fetch(mark.marked(request), from: target, timeout: timeout)
  }
}
