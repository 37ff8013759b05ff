internal import GatewayCore

/// An upgrade request that is refused with an HTTP status.
struct RefuseUpgrade: AdmissionFault {
  static let word = "refuse_upgrade"
  static let summary = "answers the upgrade with an HTTP status instead of 101"
  static let members = FaultAnswer.members
  static let example = #"{"fault": "refuse_upgrade", "status": 503, "retry_after_s": 2, "times": 3}"#

  private let answer: FaultAnswer

  init(_ fields: FaultFields) throws(GatewayError) { answer = try FaultAnswer(fields) }

  func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse? { answer.response(words) }
}
