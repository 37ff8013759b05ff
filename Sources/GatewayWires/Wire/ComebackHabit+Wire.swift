internal import GatewayCore

extension ComebackHabit {
  /// Reads the reconnect habit in `/comeback` of a description; by default it is like usual browser clients.
  init(_ described: Described?, ends: [EndRule]) throws(DescriptionError) {
    let comeback = try described?.object(["first", "factor", "cap", "jitter", "tries_max", "token"])
    var isJittered = true
    if let jitter = comeback?["jitter"] {
      switch try jitter.text() {
      case "full": break
      case "none": isJittered = false
      case let other: throw jitter.unknown(other, "jitter", among: ["full", "none"])
      }
    }
    let tries = try comeback?["tries_max"]?.integer(in: 1...1000)
    self.init(
      .backoff(
        first: try comeback?["first"]?.duration() ?? .seconds(1),
        factor: try comeback?["factor"]?.number(in: 1...10) ?? 2,
        cap: try comeback?["cap"]?.duration() ?? .seconds(30), isJittered: isJittered, tries: tries),
      renewingErrors: [ReturnVerdict.renew.number])
    otherErrorsAreFinal = false
    finalErrors = [ReturnVerdict.giveUp.number]
    refusalsMax = tries
    tokenOnReturn = try comeback?["token"]?.choice("token on the way back") ?? .unlessOver
    self.ends = ends
  }
}
