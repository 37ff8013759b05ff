package import GatewayCore
internal import GatewayRuntime

/// A withdrawal of a key that others know. Tokens that it signed are refused from now on. Connected users are asked for
/// another token, or closed, as for revoked tokens.
package struct WithdrawKeys: VerificationFault, SocketFault {
  package static let word = "withdraw_keys"
  package static let summary = "rejects tokens issued before the order, and revokes the tokens of present connections"
  package static let example = #"{"fault": "withdraw_keys"}"#

  package init(_ fields: FaultFields) throws(GatewayError) {}

  package func refusal(
    of token: VerifiedToken, isRefresh: Bool, _ standing: StandingFault, at now: Instant
  ) -> GatewayError? {
    guard let issuedAt = token.issuedAt else { return nil }
    return standing.isYounger(than: issuedAt) ? .signatureInvalid : nil
  }

  package func befall(_ socket: FaultySocket) { socket.party.control(.revoked) }
}
