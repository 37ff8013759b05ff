internal import GatewayCore
internal import GatewayJSON

/// Makes routes whose callers have been let in by the gate, and whose errors are in the vendor's words.
struct SendbirdResource: Sendable {
  let gate: SendbirdGate
  let services: any GatewayServices
  /// How much a client may ask for; nil for any amount.
  let rates: SendbirdRates?

  typealias Work = nonisolated(nonsending) @Sendable (SendbirdRequest) async throws(SendbirdError) -> HTTPResponse

  func route(_ method: String, _ pattern: String, _ work: @escaping Work) -> HTTPRoute {
    HTTPRoute(method, pattern) { http, parameters in
      do throws(SendbirdError) {
        let caller = try await gate.caller(of: http)
        if let rates, case .user(let user, _) = caller {
          try await rates.take(method == "GET" ? .reading : .writing, user, at: services.wallTime)
        }
        return try await work(SendbirdRequest(http: http, path: parameters, caller: caller))
      } catch {
        return error.response
      }
    }
  }

  /// 200 with the object that `body` writes the members of; an empty one for what has nothing to say.
  static func answer(_ body: (inout JSONWriter) -> Void = { _ in }) -> HTTPResponse {
    HTTPResponse(status: 200, json: JSONWriter.object(capacity: 512, body))
  }
}
