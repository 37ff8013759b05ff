package import GatewayCore

/// An answer with an empty token, which a client should not log in with.
package struct MintEmpty: TokenTextFault {
  package static let word = "mint_empty"
  package static let summary = "makes the token provider return an empty token"
  package static let example = #"{"fault": "mint_empty", "times": 1}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func changed(_ token: String) -> String { "" }
}
