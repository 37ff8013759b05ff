internal import GatewayCore
internal import GatewayJSON

// The gateway's messages as JSON text.

extension StreamDialect {
  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    switch message {
    case .connected(let connection, _, _, _, _, let welcome):
      connected(connection, me: welcome ?? "{}", context)
    case .pong:
      healthCheck(context.connection, context, me: nil)
    case .loginRefused(let error, _):
      connectionError(StreamError(error), on: nil, context)
    case .error(let error, _):
      connectionError(StreamError(error), on: context.isLoggedIn ? context.connection : nil, context)
    case .refreshRequired(let cause, _):
      expiry.sendsError
        ? connectionError(cause == .revocation ? .tokenRevoked : .tokenExpired, on: context.connection, context) : nil
    case .refreshed, .loggedOut, .closing:
      // Stream has no messages for these: calls are announced over REST, and a closed client learns it from the close
      // frame.
      nil
    }
  }

  private func connected(_ connection: ConnectionID, me: String, _ context: DialectContext) -> Frame {
    guard kind != .chat else { return healthCheck(connection, context, me: me) }
    let payload = JSONWriter.object(capacity: 192 + me.utf8.count) { json in
      json.member("type", "connection.ok")
      json.member("created_at", context.now, kind.family.dates)
      json.member("connection_id", StreamConnectionID.text(connection))
      json.name("me")
      json.raw(me)
    }
    return Frame(.text, payload)
  }

  private func healthCheck(_ connection: ConnectionID, _ context: DialectContext, me: String?) -> Frame {
    let payload = JSONWriter.object(capacity: 160 + (me?.utf8.count ?? 0)) { json in
      json.member("type", "health.check")
      json.member("connection_id", StreamConnectionID.text(connection))
      json.member("created_at", context.now, kind.family.dates)
      json.member("cid", "*")
      json.member("custom") { _ in }
      if let me {
        json.name("me")
        json.raw(me)
      }
    }
    return Frame(.text, payload)
  }

  /// Returns the error on a socket; `connection` is nil before the login.
  private func connectionError(_ error: StreamError, on connection: ConnectionID?, _ context: DialectContext) -> Frame {
    let payload = JSONWriter.object(capacity: 384) { json in
      json.member("type", "connection.error")
      json.member("created_at", context.now, kind.family.dates)
      json.member("connection_id", connection.map(StreamConnectionID.text) ?? "")
      json.member("error") { error.writeMembers(to: &$0) }
    }
    return Frame(.text, payload)
  }

  /// Returns the close reason on the wire. A refused login is closed with 1000 without text: JavaScript considers it
  /// final, and reports why. A session whose token ended has the configured code; other reasons keep their code, after
  /// which every client reconnects.
  func closeReason(for reason: CloseReason) -> CloseReason {
    switch reason {
    case .refreshTimeout, .tokenRevoked:
      CloseReason(code: expiry.closeCode, name: expiry.closeCode == 1000 ? "" : reason.name) ?? reason
    case .invalidToken, .anonymousRefused, .tooManyFailures, .loginTimeout:
      CloseReason(code: 1000, name: "") ?? reason
    default:
      reason
    }
  }

  func response(for error: GatewayError) -> HTTPResponse {
    StreamError(error).response()
  }
}
