internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The gateway's messages.

extension SinchDialect {
  /// Returns the message about the registration before the start that it causes, or about its failure before the failed
  /// start.
  func prelude(to message: OutboundMessage, _ context: DialectContext) -> Frame? {
    switch message {
    case .connected(_, _, _, _, _, let welcome):
      welcome.map { Frame(text: $0) }
    case .loginRefused(let error, let request) where request?.rawValue == SinchMessage.register.rawValue:
      Frame(text: SinchWords.error("userRegistrationFailed", error, errors))
    default:
      nil
    }
  }

  func encode(_ message: OutboundMessage, _ context: DialectContext) -> Frame? {
    words(message, context).map { Frame(text: $0) }
  }

  private func words(_ message: OutboundMessage, _ context: DialectContext) -> String? {
    switch message {
    case .connected(let connection, let user, _, _, _, _):
      SinchWords.text("clientStarted") { json in
        json.member("connectionId", connection.description)
        json.member("userId", user.rawValue)
      }
    case .loginRefused(let error, _):
      SinchWords.error("clientFailed", error, errors)
    case .refreshRequired(let cause, let timeout):
      SinchWords.credentialsRequired(Self.reason(cause, context), at: context.now, timeout: timeout)
    case .refreshed(_, _, let welcome):
      welcome
    case .error(let error, let request):
      self.error(error, request, context)
    case .pong:
      SinchWords.text("pong")
    case .loggedOut:
      nil
    case .closing(let reason, let delay):
      SinchWords.text("closing") { json in
        json.member("reason", reason.name)
        json.member("delayMs", milliseconds: delay)
      }
    }
  }

  /// Returns the reason on the wire for a cause. A revoked registration is unknown.
  private static func reason(_ cause: RefreshCause, _ context: DialectContext) -> SinchCredentialsReason {
    switch cause {
    case .expiry, .sessionEnd: context.hasExpired ? .expired : .extend
    case .request: .extend
    case .revocation: .unknownInstance
    }
  }

  private func error(_ error: GatewayError, _ request: RequestID?, _ context: DialectContext) -> String {
    if error.isSame(as: .credentialsMissing),
      let reason = error.reason.flatMap(SinchCredentialsReason.init(rawValue:))
    {
      return SinchWords.credentialsRequired(reason, at: context.now, timeout: nil)
    }
    let isRegistration = request?.rawValue == SinchMessage.register.rawValue && context.isLoggedIn
    return SinchWords.error(isRegistration ? "userRegistrationFailed" : "error", error, errors)
  }
}

extension SinchDialect: CallDialect {
  func encode(_ event: CallEvent) -> Frame? {
    let type: String
    switch event.kind {
    case .memberJoined: type = "callMemberJoined"
    case .memberLeft: type = "callMemberLeft"
    case .crowdChanged, .message: return nil
    }
    let text = SinchWords.text(type) { json in
      json.member("callId", event.call.cid)
      json.member("userId", event.user.rawValue)
    }
    return Frame(text: text)
  }

  func answer(to command: CallCommand, request: RequestID?) -> Frame? {
    switch command {
    case .join(let call): Frame(text: SinchWords.text("callJoined") { $0.member("callId", call.cid) })
    case .leave(let call): Frame(text: SinchWords.text("callLeft") { $0.member("callId", call.cid) })
    case .publish: nil
    }
  }
}
