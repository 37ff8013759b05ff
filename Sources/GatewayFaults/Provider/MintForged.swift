internal import GatewayCore
internal import GatewayKit

/// A token that is signed with another key than the gateway's, as by a provider whose key was not rolled out.
struct MintForged: TokenTextFault {
  static let word = "mint_forged"
  static let summary = "makes the token provider sign tokens with a key that is not the gateway's"
  static let example = #"{"fault": "mint_forged", "times": 1}"#

  init(_ fields: FaultFields) throws(GatewayError) {}

  func changed(_ token: String) -> String { MintedToken.forging(token) }
}
