internal import GatewayCore

/// One phase of a scenario. It lasts until the next one begins.
package struct ScenarioPhase: Hashable, Sendable, Decodable {
  package let name: String
  /// The anchor of its start; nil for the end of the previous phase.
  package let from: Anchor?
  /// The time from the anchor to its start.
  package let after: Duration
  /// The minimum duration. A next phase without an anchor begins after it, and the storm does not end before.
  package let length: Duration?
  /// The order to the gateway at its start.
  package let order: Order?
  /// The gateway's faults while it lasts, in the format of the control port.
  package let faults: [PlainJSON]
  /// The thresholds that must hold in it, in the syntax of the storm's thresholds.
  package let thresholds: [String]

  /// A moment of the storm that the plan determines.
  package enum Anchor: String, Hashable, Sendable, CaseIterable, Decodable {
    /// The time at which the first client connects.
    case start
    /// The time at which the last client has begun to connect.
    case hold
    /// The time at which the gateway should ask for the first tokens that end together.
    case wave

    /// Returns the moment in a storm of these fleets: the hold begins with the last of them, and the wave with the first.
    func instant(in plans: [StormPlan]) -> Duration {
      switch self {
      case .start: .zero
      case .hold: plans.map(\.pacer.duration).max() ?? .zero
      case .wave: plans.map(\.onset).min() ?? .zero
      }
    }
  }

  /// An operator's order for all sessions.
  package enum Order: String, Hashable, Sendable, CaseIterable, Decodable {
    /// Expires their tokens now.
    case expire
    /// Asks them for another token.
    case refresh
    /// Revokes every token that was issued until now.
    case revoke
    /// Ends their connections, with the close code for an end by the gateway.
    case disconnect
    /// Ends their connections at once with 1012, like a restart of the gateway.
    case restart

    /// Whether the order makes the gateway ask all clients for another token.
    var asks: Bool {
      switch self {
      case .expire, .refresh, .revoke: true
      case .disconnect, .restart: false
      }
    }
  }

  /// The keys of a phase.
  package static let keys = ["name", "from", "after_s", "for_s", "order", "faults", "thresholds"]

  package init(from decoder: any Decoder) throws {
    let members = try StrictMembers(decoder, known: Self.keys)
    let container = members.container
    name = try container.decode(String.self, forKey: .init("name"))
    guard (1...60).contains(name.utf8.count) else { throw members.wrong("a name has 1 to 60 bytes", at: .init("name")) }
    from = try members.word("from", Anchor.self)
    order = try members.word("order", Order.self)
    after = try members.seconds("after_s", in: -Self.secondsMax...Self.secondsMax) ?? .zero
    length = try members.seconds("for_s", in: 0...Self.secondsMax)
    faults = try container.decodeIfPresent([PlainJSON].self, forKey: .init("faults")) ?? []
    for fault in faults {
      guard case .object = fault else {
        throw members.wrong(#"a fault is an object, as {"fault": "mint_refused"}"#, at: .init("faults"))
      }
    }
    thresholds = try container.decodeIfPresent([String].self, forKey: .init("thresholds")) ?? []
  }

  /// One day.
  private static let secondsMax = 86_400.0

  /// Whether the phase needs the gateway's control port.
  package var wantsControl: Bool { order != nil || !faults.isEmpty }
}
