package import GatewayCore

/// A store that takes long for every operation.
package struct StoreSlow: StoreFault {
  package static let word = "store_slow"
  package static let summary = "delays every operation of the store of users, calls and channels"
  package static let members = ["by_ms"]
  package static let example = #"{"fault": "store_slow", "by_ms": 500, "for_s": 10}"#

  package let fate: StoreFate

  package init(_ fields: FaultFields) throws(GatewayError) {
    guard let duration = try fields.milliseconds("by_ms") else { throw fields.missing("by_ms") }
    fate = .late(duration)
  }
}
