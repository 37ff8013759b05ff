internal import GatewayCore
internal import GatewayJSON

/// An issuer whose discovery document says another issuer (OpenID Connect Discovery 1.0 section 4.3).
struct DiscoveryOtherIssuer: AnswerFault {
  static let word = "discovery_other_issuer"
  static let summary = "changes the issuer in a discovery document, which must be the configured one"
  static let members = OutboundChoice.keysMembers
  static let example = #"{"fault": "discovery_other_issuer", "for_s": 60}"#

  let places: OutboundChoice
  let harm = OutboundHarm.altered { rename(in: $0) }

  init(_ fields: FaultFields) throws(GatewayError) { places = try .keys(fields) }

  /// Returns a discovery document of another issuer; any other answer is unchanged.
  private static func rename(in response: HTTPResponse) -> HTTPResponse {
    guard let root = try? JSONDocument.parse(response.body).root, root["issuer"]?.string != nil,
      let address = root["jwks_uri"]?.string
    else { return response }
    var response = response
    response.body = JSONWriter.object { json in
      json.member("issuer", "https://another-issuer.invalid")
      json.member("jwks_uri", address)
    }
    return response
  }
}
