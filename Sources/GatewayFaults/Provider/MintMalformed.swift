package import GatewayCore
package import GatewayKit

/// A token that is cut in half, e.g. a JWT that ends within its payload.
package struct MintMalformed: ProviderAnswer {
  package static let word = "mint_malformed"
  package static let summary = "lets the token provider give the first half of a token"
  package static let example = #"{"fault": "mint_malformed", "times": 1}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func answer(to order: ProviderOrder) -> MintedToken {
    var token = order.minted
    let text = token.credentials.token
    token.credentials = Credentials(token: String(text.prefix(text.count / 2)))
    token.isAsItIs = true
    return token
  }
}
