internal import GatewayCore

// The lines of a connection in the log: refusals and disconnects, and at the level `debug` everything else.

extension Connection {
  func log(_ record: SessionRecord) {
    switch record {
    case .loginRefused(let error):
      table.log.write(.info, "login_refused", about("error", error.name) + LogEvent.fields(of: error.mismatch))
    case .refreshRefused(let error):
      table.log.write(.info, "refresh_refused", about("error", error.name) + LogEvent.fields(of: error.mismatch))
    case .malformed(let error):
      table.log.write(.debug, "malformed_message", about("error", error.name))
    case .loggedIn(let kind, _):
      table.log.write(.debug, "logged_in", about("kind", kind.rawValue))
    case .refreshRequested(let cause):
      table.log.write(.debug, "refresh_requested", about("cause", cause.rawValue))
    case .refreshed(let duration):
      table.log.write(.debug, "refreshed", about("asked", String(duration != nil)))
    case .ended(let reason):
      table.log.write(.debug, "ended", about("reason", reason.name))
    }
  }

  /// Logs an accepted token with an odd expiry. Only the first of many are logged, since one issuer makes them all.
  func log(doubt: String, of user: UserID) {
    guard table.doubtsTold < Self.doubtsMax else { return }
    table.doubtsTold += 1
    table.log.write(
      .warning, "token_end_odd",
      [
        LogEvent.Field("connection", id.description), LogEvent.Field("dialect", dialect.name),
        LogEvent.Field("user", user.rawValue), LogEvent.Field("end", doubt),
      ])
  }

  private static let doubtsMax = 10

  /// The gateway closes the connection. Whoever was refused has a line for that already.
  func log(closing reason: CloseReason) {
    switch reason {
    case .normal, .goingAway, .serviceRestart, .invalidToken, .anonymousRefused: return
    default: break
    }
    table.log.write(
      .info, "cut_off", about("reason", reason.name) + [LogEvent.Field("code", String(reason.code))])
  }

  /// Returns the log fields for the connection, its user, and one more value.
  func about(_ name: String, _ value: String) -> [LogEvent.Field] {
    var fields = [LogEvent.Field("connection", id.description), LogEvent.Field("dialect", dialect.name)]
    if let user = loggedInAs { fields.append(LogEvent.Field("user", user.rawValue)) }
    fields.append(LogEvent.Field(name, value))
    if let peer = socket?.peer, !peer.isEmpty { fields.append(LogEvent.Field("peer", peer)) }
    return fields
  }
}
