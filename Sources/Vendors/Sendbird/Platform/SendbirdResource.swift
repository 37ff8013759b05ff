internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

/// Resources whose callers have been let in by the gate, and whose errors are in Sendbird's words.
typealias SendbirdResource = RouteGroup<SendbirdRequest, SendbirdError>

extension RouteGroup<SendbirdRequest, SendbirdError> {
  /// - Parameter rates: How much a client may ask for; nil for any amount.
  init(gate: SendbirdGate, services: any GatewayServices, rates: SendbirdRates?) {
    self.init(words: { $0.response }) { http, parameters throws(SendbirdError) in
      let caller = try await gate.caller(of: http)
      if let rates, case .user(let user, _) = caller {
        try await rates.take(["GET", "HEAD"].contains(http.method) ? .reading : .writing, user, at: services.wallTime)
      }
      return SendbirdRequest(http: http, path: parameters, caller: caller)
    }
  }

  /// 200 with the object that `body` writes the members of; an empty one for what has nothing to say.
  static func answer(_ body: (inout JSONWriter) -> Void = { _ in }) -> HTTPResponse {
    HTTPResponse(status: 200, json: JSONWriter.object(capacity: 512, body))
  }
}
