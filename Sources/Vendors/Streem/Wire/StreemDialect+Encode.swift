internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The gateway's messages as JSON text.

extension StreemDialect {
  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    switch message {
    case .connected(let connection, _, _, let expiresIn, let request, let welcome):
      return identified(connection, welcome, expiresIn, request, context, isRefresh: false)
    case .refreshed(let expiresIn, let request, let welcome):
      return identified(context.connection, welcome, expiresIn, request, context, isRefresh: true)
    case .loginRefused(let error, let request):
      return Self.frame(StreemFailure(error, isOfToken: true), request)
    case .error(let error, let request):
      return Self.frame(StreemFailure(error, isOfToken: StreemFailure.isOfToken(error)), request)
    case .refreshRequired(let cause, let timeout):
      return Self.message("tokenRequired", nil) { json in
        json.member("reason", Self.reason(cause, context))
        json.member("timeoutMs", milliseconds: timeout)
      }
    case .loggedOut(let user, let request):
      return Self.message("loggedOut", request) { $0.member("externalUserId", externalID(user)) }
    case .pong(let request):
      return Self.message("pong", request) { _ in }
    case .closing(let reason, let delay):
      return Self.message("closing", nil) { json in
        json.member("reason", closeReason(for: reason).name)
        json.member("delayMs", milliseconds: delay)
      }
    }
  }

  private static func reason(_ cause: RefreshCause, _ context: DialectContext) -> String {
    switch cause {
    case .revocation: "revoked"
    case .expiry, .sessionEnd, .request: context.hasExpired ? "expired" : "session_expiring"
    }
  }

  private func identified(
    _ connection: ConnectionID, _ welcome: String?, _ expiresIn: Duration?, _ request: RequestID?,
    _ context: DialectContext, isRefresh: Bool
  ) -> Frame {
    Self.message("identified", request) { json in
      json.name("user")
      json.raw(welcome ?? "null")
      json.member("refreshed", isRefresh)
      json.member("sessionId", connection.description)
      json.member("sessionExpiresAt", secondsOf: expiresIn.map { (context.now + $0).nanoseconds })
    }
  }

  static func frame(_ failure: StreemFailure, _ request: RequestID?) -> Frame {
    Frame(.text, failure.json(request))
  }

  /// Returns a message of that type, which answers `request` if there is one.
  static func message(
    _ type: String, _ request: RequestID?, _ body: (inout JSONWriter) -> Void
  ) -> Frame {
    Frame(
      .text,
      JSONWriter.object(capacity: 320) { json in
        json.member("type", type)
        if let request { json.member("id", request.rawValue) }
        body(&json)
      })
  }
}

extension StreemDialect {
  func response(for error: GatewayError) -> HTTPResponse {
    StreemFailure(error, isOfToken: StreemFailure.isOfToken(error)).response
  }
}
