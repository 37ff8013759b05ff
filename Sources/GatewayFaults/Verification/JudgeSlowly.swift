internal import GatewayCore

/// A verification of a socket's token that takes long, e.g. longer than a client waits.
struct JudgeSlowly: VerificationDelay {
  static let word = "judge_slowly"
  static let summary = "delays the verification of a socket's token"
  static let members = ["by_ms"]
  static let example = #"{"fault": "judge_slowly", "by_ms": 2000, "times": 1}"#

  let delay: Duration

  init(_ fields: FaultFields) throws(GatewayError) {
    let delay = try fields.delay()
    self.delay = delay
  }
}
