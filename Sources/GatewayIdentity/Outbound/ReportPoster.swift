package import GatewayCore
package import GatewayRuntime

/// Posts reports of the gateway's own to a server of the operator, e.g. spans to a collector. Its requests are not traced.
package final class ReportPoster: Sendable {
  private let endpoint: Endpoint
  private let caller: EndpointCaller

  private static let timeout = Duration.seconds(10)

  /// Creates a poster whose requests are counted as those of an endpoint of that name.
  ///
  /// - Parameter tls: The files for TLS; nil for the system's.
  package init(to address: EndpointAddress, counted name: String, tls: TLSIdentity?, by caller: EndpointCaller) {
    self.caller = caller
    endpoint = Endpoint(
      address, counted: caller.tally(name), timeout: Self.timeout, identity: tls, keepsConnections: true)
  }

  /// Reads the files of TLS with the server. Only on the loop.
  package func prepare(on loop: EventLoop) { caller.prepare(endpoint, on: loop) }

  /// Posts a body of JSON once. Returns the answer, whatever its status. Only from a task on a loop.
  package nonisolated(nonsending) func post(_ body: [UInt8]) async throws(OutboundFailure) -> HTTPResponse {
    let request = endpoint.address.request("POST", [HTTPField("content-type", "application/json")], body: body)
    return try await caller.ask(endpoint, request) { (response) throws(OutboundFailure) in response }
  }
}
