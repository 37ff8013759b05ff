internal import GatewayCore
internal import GatewayRuntime
internal import GatewaySpace

/// The result of a move.
package struct AdvanceBody: Codable, Sendable {
  package let steps: Int
  package let movedS: Double
  package let answered: Bool
  package let cutOff: Int
  package let owing: [SessionBody]
  package let sleeping: [SleepBody]

  private enum CodingKeys: String, CodingKey {
    case steps, answered, owing, sleeping
    case movedS = "moved_s"
    case cutOff = "cut_off"
  }

  init(_ advance: Advance, at now: Instant) {
    steps = advance.steps
    movedS = advance.moved.inWholeMicroseconds
    answered = advance.isAnswered
    cutOff = advance.cutOff
    owing = advance.owing.map(SessionBody.init)
    sleeping = advance.sleeping.map { SleepBody($0, at: now) }
  }
}
