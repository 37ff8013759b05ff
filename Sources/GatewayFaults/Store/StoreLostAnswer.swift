internal import GatewayCore

/// A store whose answers are lost: it writes, but the caller does not learn of it.
struct StoreLostAnswer: StoreFault {
  static let word = "store_lost_answer"
  static let summary = "loses the store's answers to writes, after it has written"
  static let example = #"{"fault": "store_lost_answer", "for_s": 10}"#

  let fate = StoreFate.lostAnswer

  init(_ fields: FaultFields) throws(GatewayError) {}
}
