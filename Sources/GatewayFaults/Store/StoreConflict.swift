package import GatewayCore

/// A store in which another write was always faster, so that no write succeeds.
package struct StoreConflict: StoreFault {
  package static let word = "store_conflict"
  package static let summary = "makes writes to the store fail with a conflict"
  package static let example = #"{"fault": "store_conflict", "for_s": 10}"#

  package let fate = StoreFate.conflict

  package init(_ fields: FaultFields) throws(GatewayError) {}
}
