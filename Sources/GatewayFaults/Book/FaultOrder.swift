internal import GatewayCore

/// An order for a gateway to fail, e.g. to lose the replies to a tenth of the guests, once.
///
/// ```json {"fault": "drop", "what": "reply:refresh", "who": {"share": 0.1, "kind": "guest"}, "when": {"nth": 2},
/// "times": 1} ```
package struct FaultOrder: Sendable {
  package let fault: any Fault
  package let aim: FaultAim
  package let moment: FaultMoment
  /// The maximum number of effects over all users; nil for no limit.
  package let times: Int?
  /// The duration of the fault, in the time of sessions; nil until it is removed.
  package let duration: Duration?
  /// The seed that decides which users belong to a share; nil for the gateway's own seed.
  package let seed: UInt64?
  /// The side of a proxy on which it takes effect.
  package let side: FaultSide
  /// The order as it was written.
  package let text: String

  package static let members = ["fault", "who", "when", "times", "for_s", "seed", "side"]
  /// The maximum length of an order, in bytes.
  package static let lengthMax = 1 << 20

  package init(
    _ fault: any Fault, who aim: FaultAim = FaultAim(), when moment: FaultMoment = FaultMoment(), times: Int? = nil,
    lasting duration: Duration? = nil, seed: UInt64? = nil, side: FaultSide = .client, text: String = "{}"
  ) {
    self.fault = fault
    self.aim = aim
    self.moment = moment
    self.times = times
    self.duration = duration
    self.seed = seed
    self.side = side
    self.text = text
  }
}
