package import GatewayCore

/// A store whose answers are lost: it writes, but the caller does not learn of it.
package struct StoreLostAnswer: StoreFault {
  package static let word = "store_lost_answer"
  package static let summary = "loses the store's answers to writes, after it has written"
  package static let example = #"{"fault": "store_lost_answer", "for_s": 10}"#

  package let fate = StoreFate.lostAnswer

  package init(_ fields: FaultFields) throws(GatewayError) {}
}
