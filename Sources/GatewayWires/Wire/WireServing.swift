internal import GatewayCore
internal import GatewayJSON

/// The rules for a gateway that plays a description, besides those for its clients: `"closes": { "expired": 3005 }`.
struct WireServing: Sendable {
  /// The reasons for closing a connection that a wire distinguishes.
  enum Close: String, Hashable, Sendable, CaseIterable {
    /// The token has expired.
    case expired
    /// A login is refused.
    case refused
    /// The client has given no sign of life.
    case silent
    /// A login is refused because its token has expired; ``refused`` if this is not given.
    case loginExpired = "login_expired"
    /// A renewal is refused because the new token has expired. A refused renewal ends the session if this code or the
    /// next is given.
    case refreshExpired = "refresh_expired"
    /// A renewal is refused for any other reason.
    case refreshRefused = "refresh_refused"
  }

  /// The fate of the socket when the session's token expires.
  enum End: String, Hashable, Sendable, CaseIterable {
    case close
    /// It stays open, and the client may log in again.
    case stay
  }

  /// The values for `{{taken.NAME}}` in the gateway's messages, by the slots of the names.
  let values: [Int: String]
  let closes: [Close: UInt16]
  /// The interval at which clients are asked for a sign of life; nil for the gateway's own.
  let pingInterval: Duration?
  /// The time for a login; nil for the gateway's own.
  let loginTimeout: Duration?
  let end: End
  /// The answers in order.
  let answers: [ServedAnswer]

  private static let keys = ["values", "closes", "ping_every", "login_timeout", "at_end", "hear"]

  init(_ described: Described?, _ names: HoleNames) throws(DescriptionError) {
    let serve = try described?.object(Self.keys)
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
    pingInterval = try serve?["ping_every"].map { (every) throws(DescriptionError) in try Self.time(every) }
    loginTimeout = try serve?["login_timeout"].map { (time) throws(DescriptionError) in try Self.time(time) }
    end = try serve?["at_end"]?.choice("end of a session") ?? .close
    answers =
      try serve?["hear"]?.elements().map { (rule) throws(DescriptionError) in try ServedAnswer(rule, names) } ?? []
    for (number, answer) in answers.enumerated() {
      for earlier in answers[..<number] where earlier.condition == answer.condition && earlier.holds == answer.holds {
        throw answer.described.error("never reached: \(earlier.described.pointer) has the same condition")
      }
    }
  }

  private static func time(_ described: Described) throws(DescriptionError) -> Duration {
    let duration = try described.duration()
    guard (.milliseconds(10)...timeMax).contains(duration) else { throw described.error("expected 10ms to 365d") }
    return duration
  }

  private static let timeMax = Duration.seconds(365 * 86400)

  /// Adds the names under which rules take values from clients' messages to `names`.
  static func collectHeard(in described: Described?, into names: inout [String]) throws(DescriptionError) {
    for rule in try described?.object(keys)["hear"]?.elements() ?? [] {
      try Hearing.collect(rule.object(ServedAnswer.keys)["take"], into: &names)
    }
  }

  /// Whether the first refused renewal ends the session.
  var endsAtRefusedRenewal: Bool {
    end == .stay || closes[.refreshExpired] != nil || closes[.refreshRefused] != nil
  }
}
