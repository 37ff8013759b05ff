import GatewayCore
import GatewayJSON
import GatewayPlain
import GatewayTokens

/// The claims of a token to mint, in the plain dialect's words.
struct TokenClaims {
  var user: UserID
  var kind: UserKind = .regular
  var issuedAt: WallTime
  /// Nil for a token that never expires.
  var expiresAt: WallTime?
  var calls: [CallID] = []
  var issuer: String?
  var audience: String?
  /// Further claims, their values as JSON text; they take the place of those above that have the same name.
  var others: [(name: String, json: String)] = []

  /// The claims as one JSON object. Throws what the gateway would refuse; `others` are not judged, so that a bad token
  /// can be made on purpose.
  func json() throws -> [UInt8] {
    guard (1...UserID.lengthMax).contains(user.rawValue.utf8.count) else {
      throw UsageError("the user has 1 to \(UserID.lengthMax) bytes")
    }
    guard (user == .anonymous) == (kind == .anonymous) else {
      throw UsageError("the user !anon is anonymous, and no other is")
    }
    guard calls.count <= PlainTokenScheme.callsMax else {
      throw UsageError("a token opens at most \(PlainTokenScheme.callsMax) calls")
    }
    if kind == .anonymous {
      guard !calls.isEmpty else { throw UsageError("an anonymous user's token needs --call: the calls it opens") }
      guard expiresAt != nil else { throw UsageError("an anonymous user's token needs an expiry") }
    }

    var members: [(name: String, json: String)] = [("user_id", Self.text(user.rawValue))]
    if kind != .regular { members.append(("kind", Self.text(kind.rawValue))) }
    members.append(("iat", NumericDate.text(issuedAt)))
    if let expiresAt { members.append(("exp", NumericDate.text(expiresAt))) }
    if let issuer { members.append(("iss", Self.text(issuer))) }
    if let audience { members.append(("aud", Self.text(audience))) }
    if !calls.isEmpty { members.append(("call_cids", "[\(calls.map { Self.text($0.cid) }.joined(separator: ","))]")) }
    return Self.object(members, others)
  }

  /// One JSON object of these members; `others` take the place of those that have the same name.
  static func object(_ members: [(name: String, json: String)], _ others: [(name: String, json: String)]) -> [UInt8] {
    let kept = members.filter { member in !others.contains { $0.name == member.name } }
    var writer = JSONWriter()
    writer.beginObject()
    for (name, json) in kept + others {
      writer.name(name)
      writer.raw(json)
    }
    writer.endObject()
    return writer.bytes
  }

  /// A further claim as a flag has it, `NAME=VALUE`: a JSON value, or text where it is none.
  static func parse(_ flag: Arguments.Value) throws -> (name: String, json: String) {
    let parts = flag.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError(flag.source, value: flag.text, expected: "NAME=VALUE, the value JSON or text")
    }
    let value = try? JSONDocument.parse("[\(parts[1])]").root.elements
    guard let value, value.count == 1 else { return (parts[0], text(parts[1])) }
    return (parts[0], value[0].text)
  }

  static func text(_ string: String) -> String {
    var writer = JSONWriter()
    writer.string(string)
    return writer.text
  }
}
