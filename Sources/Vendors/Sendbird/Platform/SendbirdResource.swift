internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// A group of routes with authenticated callers and Sendbird's errors.
typealias SendbirdResource = RouteGroup<SendbirdRequest, SendbirdError>

extension RouteGroup<SendbirdRequest, SendbirdError> {
  /// Creates a group.
  ///
  /// - Parameter rates: The rate limits of clients; nil for none.
  init(gate: SendbirdGate, services: any GatewayServices, rates: SendbirdRates?) {
    self.init(words: { $0.response }) { http, parameters throws(SendbirdError) in
      let caller = try await gate.caller(of: http)
      if let rates, case .user(let user, _) = caller {
        try await rates.take(["GET", "HEAD"].contains(http.method) ? .reading : .writing, user, at: services.wallTime)
      }
      return SendbirdRequest(http: http, path: parameters, caller: caller)
    }
  }

  /// Returns 200 with the object whose members `body` writes, by default empty.
  static func answer(_ body: (inout JSONWriter) -> Void = { _ in }) -> HTTPResponse {
    HTTPResponse(status: 200, json: JSONWriter.object(capacity: 512, body))
  }
}
