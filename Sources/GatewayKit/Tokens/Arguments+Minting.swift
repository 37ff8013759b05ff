package import GatewayCore
internal import GatewayJSON

// The flags of `postern token mint` that every scheme has.

extension Arguments {
  /// Returns the user of the token.
  package func user(bytes: ClosedRange<Int> = 1...UserID.lengthMax) throws -> String {
    guard let user = string("user"), bytes.contains(user.utf8.count) else {
      throw UsageError(
        "--user is missing or not of \(bytes.lowerBound) to \(bytes.upperBound) bytes: who the token is for")
    }
    return user
  }

  /// Returns the time of issue; nil if no flag sets it.
  package func issuedAt(in range: ClosedRange<Double> = -1e11...1e11) throws -> WallTime? {
    try number("issued-at", in: range).map { WallTime(seconds: $0) }
  }

  /// Returns the expiry of the token; nil for never.
  package func expiry(issuedAt: WallTime, usual: Duration) throws -> WallTime? {
    guard let expires = value("expires") else { return issuedAt + (try duration("life") ?? usual) }
    guard value("life") == nil else { throw UsageError("--life and --expires are both given; one is meant") }
    if expires.text == "never" { return nil }
    return try number("expires", in: -1e11...1e11).map { WallTime(seconds: $0) }
  }

  /// Returns the calls that the token opens.
  package func calls() throws -> [CallID] {
    try values("call").map {
      guard let call = CallID(cid: $0.text) else {
        throw UsageError($0.source, value: $0.text, expected: "a call as type:id, of letters, digits, _, - and !")
      }
      return call
    }
  }

  /// Returns the further claims. A value that is not JSON is used as text.
  package func claims() throws -> [JSONMember] {
    let claims = try values("claim").map { value -> JSONMember in
      let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw UsageError(value.source, value: value.text, expected: "NAME=VALUE, the value JSON or text")
      }
      let json = (try? JSONDocument.parse("[\(parts[1])]").root.elements) ?? []
      return json.count == 1 ? JSONMember(parts[0], json: json[0].text) : JSONMember(parts[0], parts[1])
    }
    guard Set(claims.map(\.name)).count == claims.count else { throw UsageError("--claim names the same claim twice") }
    return claims
  }

  /// Throws if one of these flags is given, which have no meaning when `flag` has the value `choice`.
  package func refuse(_ names: [String], with flag: String, _ choice: String) throws {
    for name in names {
      guard let value = given[name]?.last, value.text != "false" else { continue }
      throw value.meaningless(with: flag, choice)
    }
  }
}
