internal import GatewayCore
internal import GatewayFleet

// The gateway's messages as clients receive them, in their dialect if they have one.

extension MachineWorld {
  private static let causes = RefreshCause.allCases

  /// Returns the value of an event for a refresh request.
  static func value(of cause: RefreshCause, _ timeout: Duration) -> Int64 {
    timeout.milliseconds << 2 | Int64(causes.firstIndex(of: cause) ?? 0)
  }

  private static func cause(of value: Int64) -> RefreshCause { causes[Int(value & 3)] }

  /// Returns whether the dialect has the message; other messages are not sent.
  func says(_ message: OutboundMessage) -> Bool {
    guard let wire else { return true }
    return switch message {
    case .connected: true
    case .refreshRequired(let cause, _): wire.requests[cause] != nil
    case .refreshed: wire.refreshed != nil
    case .error(let error, _): wire.errors[error.number] != nil
    case .loginRefused(let error, _): wire.refusals[error.number] != nil
    case .pong: wire.answersPings
    case .loggedOut, .closing: false
    }
  }

  /// Returns the notice that a client receives; nil for none.
  func notice(of event: WorldEvent) -> ServerNotice? {
    guard let wire else { return ownNotice(of: event) }
    switch event.kind {
    case .connected:
      var welcome = wire.welcome
      if welcome.key != nil { welcome.key = TokenText.credentials(expiringAt: event.value) }
      return .connected(nil, welcome)
    case .refreshRequired:
      guard case .refreshRequired(.some, let means) = wire.requests[Self.cause(of: event.value)] else {
        return wire.requests[Self.cause(of: event.value)]
      }
      return .refreshRequired(timeout: .milliseconds(event.value >> 2), with: means)
    case .refreshed:
      guard case .keyRenewed = wire.refreshed else { return wire.refreshed }
      return .keyRenewed(TokenText.credentials(expiringAt: event.value))
    case .error: return wire.errors[Int(event.value)]
    case .refusal: return wire.refusals[Int(event.value)]
    case .ponged: return .alive
    default: return nil
    }
  }

  private func ownNotice(of event: WorldEvent) -> ServerNotice? {
    switch event.kind {
    case .connected: .connected(nil)
    case .refreshRequired: .refreshRequired(timeout: .milliseconds(event.value >> 2))
    case .refreshed: .refreshed
    case .error, .refusal: .error(number: Int(event.value), name: errorNames[Int(event.value)] ?? "unknown")
    case .ponged: .alive
    default: nil
    }
  }
}
