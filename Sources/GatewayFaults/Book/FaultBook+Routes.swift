package import GatewayCore
package import GatewayRuntime

// The gateway's HTTP routes with every possible fault.

extension FaultBook {
  /// The wait before a request that must never be answered is answered after all. Its caller has gone by then.
  private static let patience = Duration.seconds(900)

  /// Returns the routes with a check of the book before each.
  package func decorate(_ routes: [HTTPRoute], of gateway: Gateway) -> [HTTPRoute] {
    routes.map { route in
      route.answered { request, parameters in
        let words = { (error: GatewayError) in gateway.dialect(owning: request.path).response(for: error) }
        return await self.answer(request, method: route.method, pattern: route.pattern, words) {
          await route.handler(request, parameters)
        }
      }
    }
  }

  /// Returns the answer to a request of that route: the usual one, unless a fault intervenes. The errors of faults have
  /// the format of `words`.
  package nonisolated(nonsending) func answer(
    _ request: HTTPRequest, method: String, pattern: String, _ words: (GatewayError) -> HTTPResponse,
    usually: nonisolated(nonsending) () async -> HTTPResponse
  ) async -> HTTPResponse {
    let found = befallen((any HTTPFault).self, of: FaultSubject()) { fault, _ in
      fault.routes.takesIn(request.path, method: method, pattern: pattern)
    }
    guard let (fault, standing) = found else { return await usually() }
    let network = loop.transport
    let early = fault.asksUpstream ? await usually() : nil
    switch fault.fate {
    case .answered(let answer): return answer.response(words)
    case .late(let duration):
      _ = await waits.wait(
        until: network.now + duration, on: network, as: "the fault \(standing.word)", because: standing.number)
      if let early { return early }
      return await usually()
    case .unanswered:
      let isDue = await waits.wait(
        until: network.now + Self.patience, on: network, as: "the fault \(standing.word)", because: standing.number)
      if isDue { return words(.overloaded) }
      if let early { return early }
      return await usually()
    }
  }
}
