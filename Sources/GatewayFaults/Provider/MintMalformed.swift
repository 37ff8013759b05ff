internal import GatewayCore

/// A token that is cut in half, e.g. a JWT that ends within its payload.
struct MintMalformed: TokenTextFault {
  static let word = "mint_malformed"
  static let summary = "makes the token provider return the first half of a token"
  static let example = #"{"fault": "mint_malformed", "times": 1}"#

  init(_ fields: FaultFields) throws(GatewayError) {}

  func changed(_ token: String) -> String { String(token.prefix(token.count / 2)) }
}
