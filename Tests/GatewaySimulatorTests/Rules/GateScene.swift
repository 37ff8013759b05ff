import GatewayCore
import GatewayRuntime
import GatewaySimulator
import TestSupport

/// A gateway that speaks one dialect, and what that dialect's clients do at its gate: the words differ, the rules do not.
protocol GateScene {
  var world: SimulatedWorld { get }
  var gateway: Gateway { get }

  /// A client that has whatever an anonymous user can have, and tries for a socket.
  func anonymous() -> SimulatedPeer
  /// A client that has got in as a guest, by the dialect's own way; nil if it was not let in.
  func guest() -> SimulatedPeer?
  /// Whether the guest gets into a call, or what the dialect has in its place.
  func joins(_ guest: SimulatedPeer) -> Bool
  /// What is answered to somebody who asks for an operation and has no authenticated connection.
  func operationWithoutConnection() -> String
  /// The user's client, logged in with a token that lives for ``life``.
  func connect(_ user: String) -> SimulatedPeer
  /// Whether what the client has heard says that it is logged in.
  func isLoggedIn(_ peer: SimulatedPeer) -> Bool
  /// How often the client was told to refresh.
  func asks(_ peer: SimulatedPeer) -> Int
  /// Gives a good new token of the user; returns the client that has been accepted with it, which is the same where the
  /// wire lets a token take another's place.
  func renew(_ user: String, _ peer: SimulatedPeer) -> SimulatedPeer
}

extension GateScene {
  /// How long the tokens live.
  static var life: Duration { .seconds(172_800) }

  /// What the gateway answers to an order of an operator.
  func order<Answer: Sendable>(_ body: @escaping @Sendable (Gateway) async -> Answer) -> Answer? {
    let gateway = gateway
    defer { world.settle() }
    return world.ask { await body(gateway) }
  }

  func say(_ text: String, _ peer: SimulatedPeer) {
    peer.say(text)
    world.settle()
  }
}
