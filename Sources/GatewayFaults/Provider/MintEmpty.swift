internal import GatewayCore

/// An answer with an empty token, which a client should not log in with.
struct MintEmpty: TokenTextFault {
  static let word = "mint_empty"
  static let summary = "makes the token provider return an empty token"
  static let example = #"{"fault": "mint_empty", "times": 1}"#

  init(_ fields: FaultFields) throws(GatewayError) {}

  func changed(_ token: String) -> String { "" }
}
