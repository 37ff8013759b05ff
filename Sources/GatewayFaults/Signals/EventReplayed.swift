internal import GatewayCore
internal import GatewayRuntime

/// Security events that somebody sends again.
struct EventReplayed: SignalFault {
  static let word = "event_replayed"
  static let summary = "sends the latest 16 security events that were valid to the gateway again, by the same route"
  static let example = #"{"fault": "event_replayed"}"#

  let sort = SignalSort.event
  let trick = SignalTrick.replayed

  init(_ fields: FaultFields) throws(GatewayError) {}
}
