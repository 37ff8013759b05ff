package import GatewayCore

/// The times and habits that a fleet's clients share.
package struct ClientPolicy: Hashable, Sendable {
  /// How long a slow client waits before it asks the provider.
  package var slowDelay: Duration
  /// From the start of a connection until the gateway has accepted the token.
  package var connectTimeout: Duration
  /// How long the gateway waits for a new token, as far as known. A time that the gateway announces takes precedence.
  package var refreshTimeout: Duration
  /// Whether a client that was disconnected or refused comes back.
  package var reconnects: Bool
  /// The wait before a repeated attempt, at the provider or at the gateway.
  package var backoff: Backoff
  /// The maximum number of times that a client asks for the token of its login.
  package var loginTriesMax: Int
  /// How often a client asks for another token if the gateway refuses the one that it sent.
  package var renewalsMax = 1
  /// The wait of a client that hammers, from an answer to its next request.
  package var hammerPause = Self.leastHammerPause
  /// Whether the provider refuses the renewals of such a client for ever.
  package var hammersInVain = false
  /// The maximum number of messages of a client that sends garbage, and the pause between them.
  package var garbageMax = 3
  package var garbagePause = Duration.milliseconds(100)
  /// The number of refused tokens after which a client that reconnects by itself gives up. No SDK counts them: if a
  /// provider keeps returning a bad token, some SDKs retry forever.
  package var refusalsMax = 5
  /// The number of refreshes after which a client without a gateway stops renewing, since no gateway closes it; nil for
  /// no limit.
  package var renewalsWanted: Int?
  /// The SDK's habits.
  package let habits: ClientHabits
  /// The dialect's names of close codes.
  package let closeNames: [UInt16: String]

  /// A loop on a client's machine needs a moment too; without one, virtual time would not pass.
  package static let leastHammerPause = Duration.milliseconds(1)

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
    hammersInVain = plan.hammersInVain ?? false
    hammerPause = max(Self.leastHammerPause, plan.hammerPause.map { .saturating(seconds: $0) } ?? .zero)
    if let refusalsMax = habits.comeback?.refusalsMax { self.refusalsMax = refusalsMax }
  }
}

/// A reference to one policy that all clients of a fleet share. It saves a copy in each of 100,000 clients.
package final class SharedClientPolicy: Sendable {
  package let policy: ClientPolicy

  package init(_ policy: ClientPolicy) {
    self.policy = policy
  }
}
