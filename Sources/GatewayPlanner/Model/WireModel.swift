package import GatewayCore
package import GatewayFleet

/// A vendor's dialect for worlds without wires: the habits of its clients, and each gateway message as a client
/// receives it. A refresh request may be error 40, and the close after it may have code 4001.
///
/// It is derived from the messages of the vendor's own dialects; nothing here belongs to one vendor.
package struct WireModel: Hashable, Sendable {
  package let habits: ClientHabits
  /// The policy of its sessions, derived with ``gatewayRead``; nil for the gateway's own policy.
  private let session: SessionPolicy?
  /// The gateway's times with which it was derived. Session times equal to these are the gateway's, and others are the
  /// dialect's.
  private let gatewayRead: StormPlan.GatewayTimes
  package let times: TokenTimes
  /// The client's notice of a login; a key in it stands for the client's own.
  package var welcome = Welcome()
  /// The client's notices of refresh requests, by cause; a missing one is not sent.
  package var requests: [RefreshCause: ServerNotice] = [:]
  /// The client's notice of an accepted refresh; nil if none is sent.
  package var refreshed: ServerNotice?
  /// Whether pings of the dialect are answered, and whether pings of the transport get the same answer.
  package var answersPings = false
  package var answersProtocolPings = false
  /// The client's notices of the gateway's errors by number, as refusals of a login and otherwise; a missing one is not
  /// sent.
  package var refusals: [Int: ServerNotice] = [:]
  package var errors: [Int: ServerNotice] = [:]
  /// The dialect's close codes, by the gateway's.
  package var closeCodes: [UInt16: UInt16] = [:]
  /// Whether the credentials of a login are in the upgrade, so that the gateway sends the first message.
  package var isLoginInUpgrade = false
  /// Whether a token can replace another on an open connection.
  package var refreshesOpenConnections = false

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - habits: The habits of its clients.
  ///   - session: The policy of its sessions on a gateway with the times `gateway`; nil for the gateway's own policy.
  ///   - gateway: The gateway's times, with values that no dialect has of its own.
  ///   - times: The times of sessions and keys that its tokens open.
  package init(
    habits: ClientHabits, session: SessionPolicy?, of gateway: StormPlan.GatewayTimes, times: TokenTimes
  ) {
    self.habits = habits
    self.session = session
    gatewayRead = gateway
    self.times = times
  }

  /// Returns the policy of its sessions on a gateway with those times; nil for the gateway's own policy.
  func policy(on gateway: StormPlan.GatewayTimes) throws(SessionPolicyError) -> SessionPolicy? {
    guard let session else { return nil }
    let read = gatewayRead
    return try SessionPolicy(
      loginTimeout: session.loginTimeout,
      refreshTimeout: session.refreshTimeout == read.timeout ? gateway.timeout : session.refreshTimeout,
      outageMax: session.outageMax,
      refreshLead: session.refreshLead == read.lead ? gateway.lead : session.refreshLead,
      refreshSpread: session.refreshSpread == read.spread ? gateway.spread : session.refreshSpread,
      refusalLinger: session.refusalLinger, closeTimeout: session.closeTimeout,
      refusedRefreshesMax: session.refusedRefreshesMax, malformedMax: session.malformedMax,
      revocation: session.revocation, allowsIdentityChange: session.allowsIdentityChange, anyRefreshTimeout: true)
  }

  /// Whether sessions have an end of their own, and clients a key.
  var hasKeys: Bool { habits.sessionKey != nil }
}
