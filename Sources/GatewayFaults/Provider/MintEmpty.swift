package import GatewayCore
package import GatewayKit

/// An answer with an empty token, which a client should not log in with.
package struct MintEmpty: ProviderAnswer {
  package static let word = "mint_empty"
  package static let summary = "lets the token provider give an empty token"
  package static let example = #"{"fault": "mint_empty", "times": 1}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func answer(to order: ProviderOrder) -> MintedToken {
    var token = order.minted
    token.credentials = Credentials(token: "")
    token.isAsItIs = true
    return token
  }
}
