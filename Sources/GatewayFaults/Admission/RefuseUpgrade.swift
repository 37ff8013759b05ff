package import GatewayCore

/// An upgrade request that is refused with an HTTP status.
package struct RefuseUpgrade: AdmissionFault {
  package static let word = "refuse_upgrade"
  package static let summary = "answers the upgrade with an HTTP status instead of 101"
  package static let members = FaultAnswer.members
  package static let example = #"{"fault": "refuse_upgrade", "status": 503, "retry_after_s": 2, "times": 3}"#

  private let answer: FaultAnswer

  package init(_ fields: FaultFields) throws(GatewayError) { answer = try FaultAnswer(fields) }

  package func refusal(_ words: (GatewayError) -> HTTPResponse) -> HTTPResponse? { answer.response(words) }
}
