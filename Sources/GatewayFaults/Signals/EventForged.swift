internal import GatewayCore
internal import GatewayRuntime

/// A security event that the transmitter has not signed.
struct EventForged: SignalFault {
  static let word = "event_forged"
  static let summary = "sends session-revoked for each connected user to the gateway, signed by a key of no transmitter"
  static let example = #"{"fault": "event_forged", "who": {"users": ["ann"]}}"#

  let sort = SignalSort.event
  let trick = SignalTrick.forged

  init(_ fields: FaultFields) throws(GatewayError) {}
}
