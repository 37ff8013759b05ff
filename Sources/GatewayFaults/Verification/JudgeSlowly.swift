package import GatewayCore

/// A verification of a socket's token that takes long, e.g. longer than a client waits.
package struct JudgeSlowly: VerificationDelay {
  package static let word = "judge_slowly"
  package static let summary = "delays the verification of a socket's token"
  package static let members = ["by_ms"]
  package static let example = #"{"fault": "judge_slowly", "by_ms": 2000, "times": 1}"#

  package let delay: Duration

  package init(_ fields: FaultFields) throws(GatewayError) {
    guard let delay = try fields.milliseconds("by_ms") else { throw fields.missing("by_ms") }
    self.delay = delay
  }
}
