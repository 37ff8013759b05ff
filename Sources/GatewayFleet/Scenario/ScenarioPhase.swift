internal import GatewayCore

/// One phase of a scenario: from the top of the wave on the provider refuses everybody, for thirty seconds, for
/// instance. It lasts until the next one begins.
package struct ScenarioPhase: Hashable, Sendable, Decodable {
  package let name: String
  /// What it is counted from; nil for the end of the one ahead of it.
  package let from: Anchor?
  /// How long after that it begins.
  package let after: Duration
  /// How long it lasts at the least: the next one without an anchor of its own begins then, and the storm does not end
  /// before.
  package let length: Duration?
  /// What is ordered of the gateway when it begins.
  package let order: Order?
  /// How the gateway fails while it lasts, as its control port takes it.
  package let faults: [PlainJSON]
  /// What has to hold in it, in the words of a threshold of the storm.
  package let thresholds: [String]

  /// A moment of the storm that the plan decides: the top of the wave, for instance.
  package enum Anchor: String, Hashable, Sendable, CaseIterable, Decodable {
    /// The first client connects.
    case start
    /// The last client has begun to connect.
    case hold
    /// The gateway is to ask for the first tokens that end together.
    case wave

    func instant(in plan: StormPlan) -> Duration {
      switch self {
      case .start: .zero
      case .hold: plan.pacer.duration
      case .wave: plan.onset
      }
    }
  }

  /// An order of an operator's to all sessions: every token is revoked, for instance.
  package enum Order: String, Hashable, Sendable, CaseIterable, Decodable {
    /// Their tokens expire now.
    case expire
    /// They are asked for another token.
    case refresh
    /// Every token that was issued up to now is revoked.
    case revoke
    /// Their connections end, with the code that says that the gateway ends them.
    case disconnect
    /// Their connections end as those of a gateway that is started anew: with 1012, all at once.
    case restart

    /// Whether the gateway asks everybody for another token on its account.
    var asks: Bool {
      switch self {
      case .expire, .refresh, .revoke: true
      case .disconnect, .restart: false
      }
    }
  }

  package init(from decoder: any Decoder) throws {
    let members = try StrictMembers(
      decoder, known: ["name", "from", "after_s", "for_s", "order", "faults", "thresholds"])
    let container = members.container
    name = try container.decode(String.self, forKey: .init("name"))
    guard (1...60).contains(name.utf8.count) else { throw members.wrong("a name has 1 to 60 bytes") }
    from = try members.word("from", Anchor.self)
    order = try members.word("order", Order.self)
    after = try members.seconds("after_s", in: -Self.secondsMax...Self.secondsMax) ?? .zero
    length = try members.seconds("for_s", in: 0...Self.secondsMax)
    faults = try container.decodeIfPresent([PlainJSON].self, forKey: .init("faults")) ?? []
    thresholds = try container.decodeIfPresent([String].self, forKey: .init("thresholds")) ?? []
  }

  /// A day.
  private static let secondsMax = 86_400.0

  /// Whether it wants the gateway's control port.
  package var wantsControl: Bool { order != nil || !faults.isEmpty }
}
