internal import GatewayCore
internal import GatewayRuntime

/// A logout token that arrives late.
struct LogoutLate: SignalFault {
  static let word = "logout_late"
  static let summary = "answers a valid logout token at once, and takes it by_ms later"
  static let members = ["by_ms"]
  static let example = #"{"fault": "logout_late", "by_ms": 5000}"#

  let sort = SignalSort.logout
  let trick: SignalTrick

  init(_ fields: FaultFields) throws(GatewayError) { trick = .late(try fields.delay()) }
}
