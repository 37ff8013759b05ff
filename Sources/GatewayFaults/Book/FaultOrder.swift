internal import GatewayCore

/// An order for a gateway to fail: to lose a tenth of the guests' replies, once each, for instance.
///
/// ```json
/// {"fault": "drop", "what": "reply:refresh", "who": {"share": 0.1, "kind": "guest"}, "when": {"nth": 2}, "times": 1}
/// ```
package struct FaultOrder: Sendable {
  package let fault: any Fault
  package let aim: FaultAim
  package let moment: FaultMoment
  /// How often it befalls, all told; nil for as often as it can.
  package let times: Int?
  /// How long it lasts, in the time of sessions; nil until it is taken back.
  package let duration: Duration?
  /// Decides which users a share takes in; nil for the gateway's own seed.
  package let seed: UInt64?
  /// As it was written.
  package let text: String

  package static let members = ["fault", "who", "when", "times", "for_s", "seed"]
  /// The longest order, in bytes.
  package static let lengthMax = 1 << 20

  package init(
    _ fault: any Fault, who aim: FaultAim = FaultAim(), when moment: FaultMoment = FaultMoment(), times: Int? = nil,
    lasting duration: Duration? = nil, seed: UInt64? = nil, text: String = "{}"
  ) {
    self.fault = fault
    self.aim = aim
    self.moment = moment
    self.times = times
    self.duration = duration
    self.seed = seed
    self.text = text
  }
}
