package import GatewayCore

/// The times and habits of a fleet's clients: a slow one waits for 20 s before it asks the provider, for instance.
package struct ClientPolicy: Hashable, Sendable {
  /// How long a slow client waits before it asks the provider.
  package var slowDelay: Duration
  /// From the start of a connection until the gateway has accepted the token.
  package var connectTimeout: Duration
  /// How long the gateway waits for a new token, as far as known; what it announces counts.
  package var refreshTimeout: Duration
  /// Whether a client that was cut off or not let in comes back.
  package var reconnects: Bool
  /// The wait before a repeated attempt, be it at the provider or at the gateway.
  package var backoff: Backoff
  /// How often a client asks for the token of its login before it gives up.
  package var loginTriesMax: Int
  /// How often it asks for another token when the gateway refuses the one it sent.
  package var renewalsMax = 1
  /// How often a client that talks garbage repeats itself when it is told so, and after what pause.
  package var garbageMax = 3
  package var garbagePause = Duration.milliseconds(100)
  /// How many tokens a client that comes back by itself sees refused before it gives up. No SDK counts them: with a
  /// provider that keeps returning a bad token some go on for ever.
  package var refusalsMax = 5
  /// After how many refreshes a client that has no gateway renews no more: nobody cuts it off. Nil for never.
  package var renewalsWanted: Int?
  /// What its SDK does of its own accord.
  package let habits: ClientHabits
  /// What its wire calls the codes of close frames.
  package let closeNames: [UInt16: String]

  package init(
    _ plan: StormPlan, habits: ClientHabits = ClientHabits(), closeNames: [UInt16: String] = CloseReason.names
  ) {
    self.habits = habits
    self.closeNames = closeNames
    slowDelay = plan.slowDelay
    connectTimeout = plan.connectTimeout
    refreshTimeout = plan.gateway.timeout
    reconnects = plan.reconnects
    backoff = plan.backoff
    loginTriesMax = plan.loginTries
    if let refusalsMax = habits.comeback?.refusalsMax { self.refusalsMax = refusalsMax }
  }
}

/// A policy that all clients of a fleet keep to, held once for all of them: for 100,000 clients one copy of their
/// time-outs, for instance.
package final class SharedClientPolicy: Sendable {
  package let policy: ClientPolicy

  package init(_ policy: ClientPolicy) {
    self.policy = policy
  }
}
