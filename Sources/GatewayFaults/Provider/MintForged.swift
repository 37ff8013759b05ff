package import GatewayCore
internal import GatewayKit

/// A token that is signed with another key than the gateway's, as by a provider whose key was not rolled out.
package struct MintForged: TokenTextFault {
  package static let word = "mint_forged"
  package static let summary = "makes the token provider sign tokens with a key that is not the gateway's"
  package static let example = #"{"fault": "mint_forged", "times": 1}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func changed(_ token: String) -> String { MintedToken.forging(token) }
}
