import GatewayCore
import GatewayKit

extension Behaviour {
  static let closedForGood = terminal(
    "closed-for-good", covers: ["S4", "S7"], code: 4500, elsewhere: 1000,
    sentence: "The client stays away after a close code that means it must not come back.")

  /// Returns a behaviour in which the gateway closes the connection with a terminal code.
  ///
  /// Private codes have an agreed meaning only on this gateway's own wire. Clients of other wires are closed with
  /// `elsewhere`, if it is given, and clients of a described wire with its own code.
  static func terminal(
    _ name: String, covers: [String], code: UInt16, elsewhere: UInt16? = nil, meanings: [EndMeaning] = [],
    sentence: String
  ) -> Behaviour {
    Behaviour(
      name: name, covers: covers, sentence: sentence, needs: .terminalClose, meanings: meanings,
      script: { scene in
        try await scene.seeLogin()
        try await scene.disconnect(scene.wire.finalCode(code, elsewhere: elsewhere), name)
      },
      expected: [.noAttemptAfterTerminal(quiet: .seconds(5))])
  }
}
