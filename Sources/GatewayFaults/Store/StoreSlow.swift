internal import GatewayCore

/// A store that takes long for every operation.
struct StoreSlow: StoreFault {
  static let word = "store_slow"
  static let summary = "delays every operation of the store of users, calls and channels"
  static let members = ["by_ms"]
  static let example = #"{"fault": "store_slow", "by_ms": 500, "for_s": 10}"#

  let fate: StoreFate

  init(_ fields: FaultFields) throws(GatewayError) {
    let duration = try fields.delay()
    fate = .late(duration)
  }
}
