import GatewayDrafts

/// What a client, an operator or the gateway did in a recording of a proxy or a HAR file, with its time.
struct TrafficStep: Sendable {
  enum Act: Sendable {
    /// The client opened connection number so and so, with this upgrade.
    case open(Int, Recording.Exchange)
    /// An upgrade was refused.
    case beRefused(Recording.Exchange)
    /// A request over HTTP.
    case request(Recording.Exchange)
    /// The client sent a message.
    case say(Int, Recording.Message)
    /// The gateway sent a message.
    case hear(Int, Recording.Message)
    /// The gateway asked for a new token, with this message.
    case beAsked(Int, Recording.Ask, Recording.Message?)
    case end(Int, Recording.End)
  }

  let act: Act
  /// In milliseconds since the first step.
  let at: Int64
  /// The line of the recording, or the number of the entry of a HAR file.
  let line: Int
  /// The order among the steps of one line.
  var rank = 1

  /// The milliseconds between a message and the line about it.
  private static let atOnce: Int64 = 2

  /// Returns the steps of a recording in their order. Connections that were open before it began are left out.
  static func steps(of recording: Recording) -> [TrafficStep] {
    var steps = recording.refusals.map { TrafficStep(act: .beRefused($0), at: $0.at, line: $0.line) }
    steps += recording.exchanges.map { TrafficStep(act: .request($0), at: $0.at, line: $0.line) }
    for (number, connection) in recording.connections.enumerated() {
      guard let upgrade = connection.upgrade else { continue }
      steps.append(TrafficStep(act: .open(number, upgrade), at: connection.openedAt, line: connection.line))
      for message in connection.messages {
        let act = message.isOfClient ? Act.say(number, message) : .hear(number, message)
        steps.append(TrafficStep(act: act, at: message.at, line: message.line))
      }
      for ask in connection.asks {
        // The line about the request may follow that of its message.
        let message = connection.messages.last {
          !$0.isOfClient && $0.line < ask.line && ask.at - $0.at <= Self.atOnce
        }
        let (at, line) = (message?.at ?? ask.at, message?.line ?? ask.line)
        steps.append(TrafficStep(act: .beAsked(number, ask, message), at: at, line: line, rank: 0))
      }
      if let end = connection.end {
        steps.append(TrafficStep(act: .end(number, end), at: end.at, line: Int.max))
      }
    }
    // The order of equal ones is that of the file: a HAR file has one number for all messages of a connection.
    let sorted = steps.enumerated().sorted {
      ($0.element.at, $0.element.line, $0.element.rank, $0.offset)
        < ($1.element.at, $1.element.line, $1.element.rank, $1.offset)
    }
    let first = sorted.first?.element.at ?? 0
    return sorted.map { TrafficStep(act: $0.element.act, at: $0.element.at - first, line: $0.element.line) }
  }

  /// Returns whether a recording has upgrades or requests: a proxy's or a browser's, not a gateway's.
  static func areIn(_ recording: Recording) -> Bool {
    !recording.exchanges.isEmpty || !recording.refusals.isEmpty
      || recording.connections.contains { $0.upgrade != nil }
  }
}
