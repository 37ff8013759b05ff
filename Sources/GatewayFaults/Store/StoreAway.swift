internal import GatewayCore

/// A store that is unreachable. Requests are answered with 503.
struct StoreAway: StoreFault {
  static let word = "store_away"
  static let summary = "makes the store of users, calls and channels unavailable"
  static let example = #"{"fault": "store_away", "for_s": 10}"#

  let fate = StoreFate.away

  init(_ fields: FaultFields) throws(GatewayError) {}
}
