package import GatewayCore

/// A token that is cut in half, e.g. a JWT that ends within its payload.
package struct MintMalformed: TokenTextFault {
  package static let word = "mint_malformed"
  package static let summary = "makes the token provider return the first half of a token"
  package static let example = #"{"fault": "mint_malformed", "times": 1}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func changed(_ token: String) -> String { String(token.prefix(token.count / 2)) }
}
