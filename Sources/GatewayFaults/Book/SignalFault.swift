internal import GatewayCore
package import GatewayRuntime

/// A fault of logouts and security events from outside.
package protocol SignalFault: Fault {
  var sort: SignalSort { get }
  var trick: SignalTrick { get }
}

/// What a broken sender does with a signal.
package enum SignalTrick: Hashable, Sendable {
  /// It sends the latest ones again.
  case replayed
  /// It sends one that is signed by a key of no issuer.
  case forged
  /// It sends one later by this duration, in the time of the network.
  case late(Duration)

  /// Whether the gateway gets a signal that nobody has sent.
  var isPlayed: Bool { self == .replayed || self == .forged }
}

extension SignalFault {
  /// Returns why the fault can have no effect in a gateway with that hand; nil if it can.
  func lack(in hand: (any SignalHand)?, when moment: FaultMoment) -> GatewayError? {
    let word = Self.word
    guard let hand, hand.takes(sort) else {
      let (what, flags) =
        switch sort {
        case .logout: ("logouts", "--logout")
        case .event: ("security events", "--events-from")
        }
      return .invalidParameter.detailed(
        "\(word) sends \(what), and this gateway takes none; start postern serve with \(flags)")
    }
    guard trick == .replayed, moment.event == nil, moment.delay == nil, hand.kept(sort).isEmpty else { return nil }
    let what = sort == .logout ? "logout" : "security event"
    return .invalidParameter.detailed("\(word): no \(what) has come yet; send one first, or give when")
  }

  /// Returns whether sending a signal may write a line of this kind, so that an order after that line follows itself.
  func writes(_ kind: JournalKind) -> Bool { trick.isPlayed && Self.consequences.contains(kind) }

  private static var consequences: Set<JournalKind> {
    [
      .faulted, .signalTaken, .signalRefused, .ordered, .revoked, .refreshRequested, .cutOff, .closed, .outboundAsked,
      .outboundAnswered,
    ]
  }
}
