internal import GatewayCore
internal import GatewayRuntime

/// A logout token that the issuer has not signed.
struct LogoutForged: SignalFault {
  static let word = "logout_forged"
  static let summary = "sends a logout token of each connected user to the gateway, signed by a key of no issuer"
  static let example = #"{"fault": "logout_forged", "who": {"users": ["ann"]}}"#

  let sort = SignalSort.logout
  let trick = SignalTrick.forged

  init(_ fields: FaultFields) throws(GatewayError) {}
}
