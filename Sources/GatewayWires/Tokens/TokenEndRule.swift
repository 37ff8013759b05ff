internal import GatewayCore
internal import GatewayJSON
internal import GatewayTokens

/// The way in which a token's expiry is known: from its `exp`, or from a member of the answer such as `/expires_in`.
enum TokenEndRule: Hashable, Sendable {
  case jwt
  case seconds(JSONPointer)
  case unixSeconds(JSONPointer)
  case unixMilliseconds(JSONPointer)
  case rfc3339(JSONPointer)
  case fixed(Duration)

  private static let keys = ["seconds", "unix_s", "unix_ms", "rfc3339", "fixed"]
  /// A life of a thousand years, in seconds; longer ones are invalid.
  private static let longest = 31_557_600_000.0

  static func rules(_ described: Described?) throws(DescriptionError) -> [TokenEndRule] {
    guard let described else { return [.jwt] }
    let rules = try described.oneOrMore().map { (rule) throws(DescriptionError) in try TokenEndRule(rule) }
    guard !rules.isEmpty else { throw described.error("an empty list knows no end; leave it out for \"jwt\"") }
    return rules
  }

  private init(_ described: Described) throws(DescriptionError) {
    if case .string(let word) = described.value.kind {
      guard word == "jwt" else { throw described.unknown(word, "way to know the end", among: ["jwt"] + Self.keys) }
      self = .jwt
      return
    }
    let rule = try described.object(Self.keys)
    let given = Self.keys.filter { rule[$0] != nil }
    guard given.count == 1, let value = rule[given[0]] else {
      throw described.error("expected one of \"jwt\", {\"seconds\": \"/expires_in\"}, {\"fixed\": \"5m\"} and the like")
    }
    switch given[0] {
    case "seconds": self = .seconds(try JSONPointer(value))
    case "unix_s": self = .unixSeconds(try JSONPointer(value))
    case "unix_ms": self = .unixMilliseconds(try JSONPointer(value))
    case "rfc3339": self = .rfc3339(try JSONPointer(value))
    default:
      let duration = try value.duration()
      guard duration > .zero else { throw value.error("a token lives longer than 0 s") }
      self = .fixed(duration)
    }
  }

  /// An expiry with its source.
  struct Told {
    /// The expiry by our clock.
    let end: WallTime
    let source: EndSource
    let life: Duration?
  }

  /// Returns the expiry; nil if this rule finds none. `offset` is how far the endpoint's clock is ahead of ours.
  func end(of token: Credentials, _ body: JSONView?, at now: WallTime, offset: Duration) -> Told? {
    switch self {
    case .jwt:
      guard let payload = try? UnverifiedToken(token.token).payload,
        let end = Self.time(payload[member: "exp"]?.number)
      else { return nil }
      let issued = Self.time(payload[member: "iat"]?.number)
      return Told(end: end - offset, source: .jwt, life: issued.map { max(.zero, end - $0) })
    case .seconds(let pointer):
      guard let seconds = Self.number(pointer, body), (0...Self.longest).contains(seconds) else { return nil }
      let life = Duration.saturating(seconds: seconds)
      return Told(end: now + life, source: .answer, life: life)
    case .unixSeconds(let pointer):
      return Self.time(Self.number(pointer, body)).map { Told(end: $0 - offset, source: .answer, life: nil) }
    case .unixMilliseconds(let pointer):
      return Self.time(Self.number(pointer, body).map { $0 / 1000 }).map {
        Told(end: $0 - offset, source: .answer, life: nil)
      }
    case .rfc3339(let pointer):
      return body.flatMap { pointer.find(in: $0)?.string }.flatMap { WallTime(rfc3339: $0) }.map {
        Told(end: $0 - offset, source: .answer, life: nil)
      }
    case .fixed(let life): return Told(end: now + life, source: .fixed, life: life)
    }
  }

  /// Returns a warning about a number that it finds and cannot use; nil if there is none.
  func doubt(about token: Credentials, _ body: JSONView?) -> String? {
    switch self {
    case .jwt: (try? UnverifiedToken(token.token).payload).flatMap { NumericDate.doubt($0["exp"]) }.map { "exp \($0)" }
    case .unixSeconds(let pointer):
      body.flatMap { NumericDate.doubt(pointer.find(in: $0)) }.map {
        "at \(pointer) \($0); \"unix_ms\" in place of \"unix_s\" reads them"
      }
    default: nil
    }
  }

  /// The place of the expiry, for people.
  var words: String {
    switch self {
    case .jwt: "the token is no JWT with exp"
    case .seconds(let pointer), .unixSeconds(let pointer), .unixMilliseconds(let pointer): "no number is at \(pointer)"
    case .rfc3339(let pointer): "no date is at \(pointer)"
    case .fixed: ""
    }
  }

  private static func number(_ pointer: JSONPointer, _ body: JSONView?) -> Double? {
    guard let value = body.flatMap({ pointer.find(in: $0) }) else { return nil }
    let number = value.number ?? value.string.flatMap(Double.init)
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  /// Returns the time that many seconds after 1970.
  private static func time(_ seconds: Double?) -> WallTime? {
    seconds.flatMap { (0...longest).contains($0) ? WallTime(seconds: $0) : nil }
  }
}
