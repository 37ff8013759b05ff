package import GatewayCore
internal import GatewayJSON

/// The values of the flags of `postern token mint` that every scheme has, before a vendor checks them.
package struct MintDraft: Sendable {
  package private(set) var user: String?
  package private(set) var kind: Arguments.Value?
  package private(set) var life: Arguments.Value?
  package private(set) var expires: Arguments.Value?
  private var issued: Arguments.Value?
  package private(set) var calls: [CallID] = []
  private var claims: [JSONMember] = []
  /// The `typ` in the header.
  package private(set) var type = "JWT"
  package private(set) var issuer: String?
  package private(set) var audience: String?

  /// Returns the flags.
  ///
  /// - Parameter notes: The text that vendors add to the help of a flag.
  package static func flags(_ notes: (_ flag: String) -> String = { _ in "" }) -> [Flag] {
    options.map { Flag($0.flag.name, $0.flag.value, $0.flag.help + notes($0.flag.name), repeats: $0.flag.repeats) }
  }

  @OptionList<MintDraft>
  private static var options: [Option<MintDraft>] {
    Option("user", "ID", "the user of the token; !anon for an anonymous user", \.user, .text)
    Option("kind", "KIND", "the kind of user: regular (default), guest, anonymous", \.kind, .asGiven)
    Option("life", "DURATION", "how long the token is valid (default 1h)", \.life, .asGiven)
    Option(
      "expires", "UNIX_S",
      "when the token expires, in Unix seconds, instead of --life; never for a token without expiry", \.expires,
      .asGiven)
    Option("issued-at", "UNIX_S", "when the token was issued, in Unix seconds (default now)", \.issued, .asGiven)
    Option("call", "CID", "a call that the token gives access to, as type:id", repeats: true) { value, draft in
      guard let call = CallID(cid: value.text) else {
        throw UsageError(
          value.source, value: value.text, expected: "a call as type:id, of letters, digits, _, - and !")
      }
      draft.calls.append(call)
    }
    Option(
      "claim", "NAME=VALUE", "a claim to add or to replace, its value JSON or text", repeats: true
    ) { value, draft in draft.claims.append(try claim(value)) }
    Option("typ", "TYPE", "the typ in the token's header (default JWT)", \.type, .text)
    Option("issuer", "TEXT", "the token's issuer, its iss", \.issuer, .text)
    Option("audience", "TEXT", "the token's audience, its aud", \.audience, .text)
  }

  init(_ arguments: Arguments) throws { try arguments.read(Self.options, into: &self) }

  /// Reads a further claim. A value that is not JSON is used as text.
  private static func claim(_ value: Arguments.Value) throws -> JSONMember {
    let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError(value.source, value: value.text, expected: "NAME=VALUE, the value JSON or text")
    }
    let json = (try? JSONDocument.parse("[\(parts[1])]").root.elements) ?? []
    return json.count == 1 ? JSONMember(parts[0], json: json[0].text) : JSONMember(parts[0], parts[1])
  }

  /// Returns the user of the token.
  package func user(bytes: ClosedRange<Int> = 1...UserID.lengthMax) throws -> String {
    guard let user, bytes.contains(user.utf8.count) else {
      throw UsageError(
        "--user is missing or not of \(bytes.lowerBound) to \(bytes.upperBound) bytes: who the token is for")
    }
    return user
  }

  /// Returns the kind of the user; nil if no flag sets it.
  package func kind<Kind: RawRepresentable<String> & CaseIterable>(of _: Kind.Type) throws -> Kind? {
    try kind?.choice()
  }

  /// Returns the time of issue; nil if no flag sets it.
  package func issuedAt(in range: ClosedRange<Double> = -1e11...1e11) throws -> WallTime? {
    try issued.map { WallTime(seconds: try $0.number(in: range)) }
  }

  /// Returns the expiry of the token; nil for never.
  package func expiry(issuedAt: WallTime, usual: Duration) throws -> WallTime? {
    guard let expires else { return issuedAt + (try life?.duration() ?? usual) }
    guard life == nil else { throw UsageError("--life and --expires are both given; remove one") }
    if expires.text == "never" { return nil }
    return WallTime(seconds: try expires.number(in: -1e11...1e11))
  }

  /// Returns the further claims.
  package func others() throws -> [JSONMember] {
    guard Set(claims.map(\.name)).count == claims.count else { throw UsageError("--claim names the same claim twice") }
    return claims
  }
}
