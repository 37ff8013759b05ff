internal import GatewayCore
internal import GatewayRuntime

/// Logout tokens that somebody sends again.
struct LogoutReplayed: SignalFault {
  static let word = "logout_replayed"
  static let summary = "sends the latest 16 logout tokens that were valid to the gateway again, by the same route"
  static let example = #"{"fault": "logout_replayed"}"#

  let sort = SignalSort.logout
  let trick = SignalTrick.replayed

  init(_ fields: FaultFields) throws(GatewayError) {}
}
