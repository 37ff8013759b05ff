import GatewayFleet
import GatewayJSON

/// A message to the storm from one of its parts or workers. It is JSON, one message a line.
enum StormMessage: Codable {
  case progress(StormProgress)
  /// The counts so far, for the live page.
  case snapshot(StormResult)
  case result(StormResult)
  /// The end of a process on another machine: its exit status and the last of its standard error.
  case ended(status: Int32, said: String)

  func line() throws -> String {
    try JSONCoder().text(self)
  }

  /// Reads a line. Throws if it is no message, or has a number that no storm can reach.
  init(line: [UInt8]) throws {
    self = try JSONCoder().decode(StormMessage.self, from: line)
    // An exit status is no count.
    if case .ended = self { return }
    _ = try JSONCoder().decode(ToldNumbers.self, from: line)
    guard spans.allSatisfy(Self.spanBounds.contains) else { throw Failure.span }
  }

  private enum Failure: Error {
    case span
  }

  /// The bounds of a duration in seconds: thirty days, longer than any storm.
  private static let spanBounds = 0...(30 * 86_400.0)

  /// The durations in the message, in seconds.
  private var spans: [Double] {
    switch self {
    case .progress(let progress): [progress.seconds]
    case .result(let result), .snapshot(let result):
      [result.seconds, result.given] + (result.phases ?? []).flatMap { [$0.from, $0.to, $0.result.seconds] }
    case .ended: []
    }
  }
}
