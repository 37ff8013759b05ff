internal import GatewayCore

/// A store in which another write was always faster, so that no write succeeds.
struct StoreConflict: StoreFault {
  static let word = "store_conflict"
  static let summary = "makes writes to the store fail with a conflict"
  static let example = #"{"fault": "store_conflict", "for_s": 10}"#

  let fate = StoreFate.conflict

  init(_ fields: FaultFields) throws(GatewayError) {}
}
