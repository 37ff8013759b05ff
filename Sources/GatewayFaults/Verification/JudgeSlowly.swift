package import GatewayCore

/// A judgement of a socket's token that takes its time: 2 s, for instance, in which a client may lose its patience.
package struct JudgeSlowly: VerificationDelay {
  package static let word = "judge_slowly"
  package static let summary = "takes so long to judge a socket's token"
  package static let members = ["by_ms"]
  package static let example = #"{"fault": "judge_slowly", "by_ms": 2000, "times": 1}"#

  package let delay: Duration

  package init(_ fields: FaultFields) throws(GatewayError) {
    guard let delay = try fields.milliseconds("by_ms") else { throw fields.missing("by_ms") }
    self.delay = delay
  }
}
