internal import GatewayCore
internal import GatewayJSON

/// The rules for a gateway that plays a description, beside what its clients do: `"closes": { "expired": 3005 }`, for
/// instance.
struct WireServing: Sendable {
  /// The reason for which a connection is closed, as far as wires tell such reasons apart: the token is over, for
  /// instance.
  enum Close: String, Hashable, Sendable, CaseIterable {
    /// The token is over.
    case expired
    /// Nobody is let in.
    case refused
    /// The client has given no sign of life.
    case silent
  }

  /// What stands for `{{taken.NAME}}` in what the gateway says, by the slots of the names.
  let values: [Int: String]
  let closes: [Close: UInt16]
  /// How often clients are asked for a sign of life; nil for as often as the gateway asks any.
  let pingInterval: Duration?

  init(_ described: Described?, _ names: HoleNames) throws(DescriptionError) {
    let serve = try described?.object(["values", "closes", "ping_every"])
    var values: [Int: String] = [:]
    for (name, value) in try serve?["values"]?.members() ?? [] {
      guard let slot = names.taken.firstIndex(of: name) else {
        throw value.unknown(name, "name that a rule takes", among: names.taken)
      }
      switch value.value.kind {
      case .string(let text), .number(let text): values[slot] = text
      case .bool(let flag): values[slot] = "\(flag)"
      case .object, .array, .null: throw value.error("\(value.value.noun); expected text, a number, true or false")
      }
    }
    self.values = values
    var closes: [Close: UInt16] = [:]
    for (name, value) in try serve?["closes"]?.members() ?? [] {
      guard let close = Close(rawValue: name) else {
        throw value.unknown(name, "reason to close", among: Close.allCases.map(\.rawValue))
      }
      let code = UInt16(try value.integer(in: 1000...4999))
      guard CloseReason.maySend(code) else {
        throw value.error("\(code) stands in no close frame (RFC 6455 section 7.4); 4000 to 4999 are free to use")
      }
      closes[close] = code
    }
    self.closes = closes
    pingInterval = try serve?["ping_every"].map { (every) throws(DescriptionError) in
      let duration = try every.duration()
      guard duration >= .milliseconds(10) else { throw every.error("expected 10ms or more") }
      return duration
    }
  }
}
