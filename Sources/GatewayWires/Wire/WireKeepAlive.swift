internal import GatewayCore
internal import GatewayKit

/// The signs of life by which clients of a described wire notice a dead connection.
///
/// For example `ping` every 25 s with a limit of 35 s of silence.
struct WireKeepAlive: Sendable {
  let habit: KeepAliveHabit
  /// The message that is the ping; nil for none, or for the protocol's own.
  let message: Int?
  private let interval: Template?
  private let limit: Template?

  /// Practically never.
  private static let never = Duration.seconds(315_360_000)

  init(_ described: Described, _ names: HoleNames) throws(DescriptionError) {
    let keepAlive = try described.object(["say", "every", "dead_after"])
    let (every, everyTemplate) = try Self.time(keepAlive["every"], names)
    let (limit, limitTemplate) = try Self.time(keepAlive["dead_after"], names)
    var habit = KeepAliveHabit(every: every ?? Self.never, limit: limit ?? Self.never)
    habit.anyMessageCounts = true
    habit.controlFramesCount = true
    if limit == nil && limitTemplate == nil { habit.despair = .nothing }
    if let say = keepAlive["say"] {
      guard keepAlive["every"] != nil else { throw say.error("needs \"every\", as \"every\": \"25s\"") }
      if try say.text() == "protocol_ping" {
        habit.means = .protocolPing
        message = nil
      } else {
        message = try names.message(say)
      }
    } else {
      message = nil
      if let every = keepAlive["every"] {
        throw every.error("nothing is said; \"say\": a message, or \"protocol_ping\"")
      }
    }
    self.habit = habit
    interval = everyTemplate
    self.limit = limitTemplate
  }

  /// Reads a duration, or a template whose value the gateway sends.
  private static func time(
    _ described: Described?, _ names: HoleNames
  ) throws(DescriptionError) -> (Duration?, Template?) {
    guard let described else { return (nil, nil) }
    let template = try Template(described, names)
    guard template.literal != nil else { return (nil, template) }
    let duration = try described.duration()
    guard duration >= .milliseconds(10) else { throw described.error("expected 10ms or more") }
    return (duration, nil)
  }

  /// Returns the times that the gateway sent, which replace the habit's.
  func times(_ source: some HoleSource) -> (interval: Duration?, limit: Duration?) {
    func told(_ template: Template?) -> Duration? {
      guard let template, let text = try? template.text(from: source), let told = DurationText.parse(text) else {
        return nil
      }
      return min(max(told, .milliseconds(10)), Self.never)
    }
    return (told(interval), told(limit))
  }
}
