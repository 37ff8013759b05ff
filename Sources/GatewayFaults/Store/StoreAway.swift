package import GatewayCore

/// A store that is unreachable. Requests are answered with 503.
package struct StoreAway: StoreFault {
  package static let word = "store_away"
  package static let summary = "makes the store of users, calls and channels unavailable"
  package static let example = #"{"fault": "store_away", "for_s": 10}"#

  package let fate = StoreFate.away

  package init(_ fields: FaultFields) throws(GatewayError) {}
}
