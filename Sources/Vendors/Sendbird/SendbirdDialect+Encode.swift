internal import GatewayCore
internal import GatewayJSON

// The gateway's messages.

extension SendbirdDialect {
  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    switch message {
    case .connected(_, _, _, _, _, let welcome):
      welcome.map { SendbirdFrame.command("LOGI", object: $0) }
    case .loginRefused(let error, _):
      loginRefused(error)
    case .refreshed(_, let request, let welcome):
      welcome.map { SendbirdFrame.command("LOGI", request, object: $0) }
    case .refreshRequired(let cause, _):
      Self.sessionEvent(cause, expiresIn: context.hasExpired ? notice : context.expiresIn)
    case .error(let error, let request):
      // No client waits for an error without a request, and the strictest client logs out on it.
      request.map { SendbirdFrame.error(SendbirdError(error), $0, at: context.now) }
    case .pong:
      Self.pong(at: context.now)
    case .loggedOut, .closing:
      // Sendbird has no calls, and no message for a gateway that is about to close: the socket's end says it.
      nil
    }
  }

  private func loginRefused(_ error: GatewayError) -> Frame {
    // After an unknown error some clients reconnect without a pause; after this one all wait.
    guard error.isSame(as: .overloaded) || error.isUnjudged else {
      return SendbirdFrame.command("LOGI") { SendbirdError(error).write(to: &$0) }
    }
    return SendbirdFrame.command("BUSY") { json in
      json.member("retry_after", settings.busyRetryAfter.components.seconds)
      json.member("reason_code", 1)
      json.member("message", "The server is overloaded.")
    }
  }

  /// The notice for a session that has already ended, for example by an operator's order. Below 5 s clients on iOS give
  /// up the socket on which they could refresh. The refresh timeout is longer.
  private var notice: Duration { min(settings.expiryLead, .seconds(5)) }

  /// Returns the event for a cause. The cause decides what a client does: with 400309 it presents its token, with
  /// 400302 it first requests another from its application, with 400310 it is logged out. Without a cause some do
  /// nothing.
  private static func sessionEvent(_ cause: RefreshCause, expiresIn: Duration?) -> Frame {
    switch cause {
    case .sessionEnd:
      SendbirdFrame.sessionEvent(reason: .sessionExpired, expiresIn: expiresIn)
    case .expiry, .request:
      SendbirdFrame.sessionEvent(reason: .accessTokenInvalid, expiresIn: expiresIn)
    case .revocation:
      SendbirdFrame.sessionEvent(reason: .sessionRevoked)
    }
  }

  private static func pong(at now: WallTime) -> Frame {
    SendbirdFrame.command("PONG", capacity: 48) { json in
      json.member("sts", now.nanoseconds / 1_000_000)
      json.member("ts", now.nanoseconds / 1_000_000)
    }
  }
}
