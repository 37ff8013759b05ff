package import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The gateway's messages as JSON text.

extension PlainDialect {
  package func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    let payload: [UInt8]? =
      switch message {
      case .connected(let connection, let user, let kind, let expiresIn, let request, let data):
        Self.message("connected", request) { json in
          json.member("connection_id", connection.description)
          json.member("user_id", user.rawValue)
          json.member("user_kind", kind.rawValue)
          json.member("expires_in_ms", milliseconds: expiresIn)
          if let data {
            json.name("data")
            json.raw(data)
          }
        }
      case .refreshRequired(let cause, let timeout):
        Self.message("refresh_required", nil) { json in
          json.member("cause", cause.rawValue)
          json.member("timeout_ms", milliseconds: timeout)
        }
      case .refreshed(let expiresIn, let request, _):
        Self.message("refreshed", request) { $0.member("expires_in_ms", milliseconds: expiresIn) }
      case .error(let error, let request), .loginRefused(let error, let request):
        Self.message("error", request) { $0.member("error", error) }
      case .loggedOut:
        // This dialect has no logout: a client that leaves closes the connection.
        nil
      case .pong(let request):
        Self.message("pong", request) { _ in }
      case .closing(let reason, let delay):
        Self.message("closing", nil) { json in
          json.member("reason") { json in
            json.member("code", Int64(reason.code))
            json.member("name", reason.name)
            json.member("may_reconnect", reason.mayReconnect)
          }
          json.member("delay_ms", milliseconds: delay)
        }
      }
    return payload.map { Frame(.text, $0) }
  }

  static func message(
    _ type: String, _ request: RequestID?, _ body: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    JSONWriter.object { json in
      json.member("type", type)
      if let request { json.member("id", request.rawValue) }
      body(&json)
    }
  }
}
