internal import GatewayCore
internal import GatewayJSON

/// An issuer that publishes a key no more.
struct KeysWithdraw: AnswerFault {
  static let word = "jwks_withdraw"
  static let summary = "removes a key from an issuer's set, by its kid"
  static let members = ["kid"] + OutboundChoice.keysMembers
  static let example = #"{"fault": "jwks_withdraw", "kid": "2026-11", "for_s": 60}"#

  let places: OutboundChoice
  let harm: OutboundHarm

  init(_ fields: FaultFields) throws(GatewayError) {
    places = try .keys(fields)
    guard let kid = try fields.text("kid", bytes: FaultFields.nameLengthMax) else { throw fields.missing("kid") }
    harm = .altered { Self.withdraw(Name(kid), from: $0) }
  }

  /// Returns the answer without that key; an answer without keys is unchanged.
  private static func withdraw(_ kid: Name, from response: HTTPResponse) -> HTTPResponse {
    guard let root = try? JSONDocument.parse(response.body).root, let keys = root["keys"]?.elements else {
      return response
    }
    var response = response
    // The tag is that of the whole set.
    response.headers.removeAll { $0.name == "etag" }
    response.body = JSONWriter.object(capacity: response.body.count) { json in
      json.name("keys")
      json.beginArray()
      for key in keys where key["kid"]?.string.map({ Name($0) }) != kid { json.raw(key.text) }
      json.endArray()
    }
    return response
  }
}
