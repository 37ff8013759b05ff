package import GatewayCore
package import GatewayFleet

/// A vendor's wire as worlds without wires have it: what its clients do of their own accord, and what each thing that the gateway
/// says is to them. That a refresh request is error 40, for instance, and the close behind it has the code 4001.
///
/// Made of what the vendor's own dialects say to each other; nothing here is one vendor's.
package struct WireModel: Hashable, Sendable {
  package let habits: ClientHabits
  /// What its sessions keep to, made of ``gatewayRead``; nil for what the gateway's keep to.
  private let session: SessionPolicy?
  /// The gateway's times that it was read with: those of the session that are the same are the gateway's, the rest the wire's.
  private let gatewayRead: StormPlan.GatewayTimes
  package let times: TokenTimes
  /// What a client hears of a login; a key in it stands for the client's own.
  package var welcome = Welcome()
  /// What it hears of a request for another token, by the cause; what is missing is not said.
  package var requests: [RefreshCause: ServerNotice] = [:]
  /// What it hears of an accepted one; nil where nothing is said.
  package var refreshed: ServerNotice?
  /// Whether its signs of life are answered, and those of its transport with the same.
  package var answersPings = false
  package var answersProtocolPings = false
  /// What the gateway's errors are by their numbers, as refusals of a login and otherwise; what is missing is not said.
  package var refusals: [Int: ServerNotice] = [:]
  package var errors: [Int: ServerNotice] = [:]
  /// The wire's codes of close frames, by the gateway's.
  package var closeCodes: [UInt16: UInt16] = [:]
  /// Whether the credentials of a login are in the upgrade, so that the gateway speaks first.
  package var isLoginInUpgrade = false
  /// Whether a token can take the place of another on an open connection.
  package var refreshesOpenConnections = false

  /// - Parameters:
  ///   - habits: What its clients do of their own accord.
  ///   - session: What its sessions keep to where the gateway has `gateway`; nil for what the gateway's keep to.
  ///   - gateway: The gateway's times, of values that no wire has of its own.
  ///   - times: How long what its tokens buy is good.
  package init(
    habits: ClientHabits, session: SessionPolicy?, of gateway: StormPlan.GatewayTimes, times: TokenTimes
  ) {
    self.habits = habits
    self.session = session
    gatewayRead = gateway
    self.times = times
  }

  /// What its sessions keep to on a gateway of those times; nil for what the gateway's keep to.
  func policy(on gateway: StormPlan.GatewayTimes) throws(SessionPolicyError) -> SessionPolicy? {
    guard let session else { return nil }
    let read = gatewayRead
    return try SessionPolicy(
      loginTimeout: session.loginTimeout,
      refreshTimeout: session.refreshTimeout == read.timeout ? gateway.timeout : session.refreshTimeout,
      refreshLead: session.refreshLead == read.lead ? gateway.lead : session.refreshLead,
      refreshSpread: session.refreshSpread == read.spread ? gateway.spread : session.refreshSpread,
      refusalLinger: session.refusalLinger, closeTimeout: session.closeTimeout,
      refusedRefreshesMax: session.refusedRefreshesMax, malformedMax: session.malformedMax,
      revocation: session.revocation, allowsIdentityChange: session.allowsIdentityChange, anyRefreshTimeout: true)
  }

  /// Whether sessions have an end of their own, and their clients a key.
  var hasKeys: Bool { habits.sessionKey != nil }
}
