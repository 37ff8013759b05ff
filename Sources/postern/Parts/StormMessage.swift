import GatewayFleet
import GatewayJSON

/// A message to the storm from a part of it, or from the worker that carries it out: JSON, one message a line.
enum StormMessage: Codable {
  case progress(StormProgress)
  /// The counts so far, for observers.
  case snapshot(StormResult)
  case result(StormResult)
  /// A worker of another machine: its process has ended, and this is the last that it said on standard error.
  case ended(status: Int32, said: String)

  func line() throws -> String {
    try JSONCoder().text(self)
  }

  /// Reads a line; throws if it is no message, or has a number that no storm comes to.
  init(line: [UInt8]) throws {
    self = try JSONCoder().decode(StormMessage.self, from: line)
    // How a process has ended is no count.
    if case .ended = self { return }
    _ = try JSONCoder().decode(ToldNumbers.self, from: line)
    guard spans.allSatisfy(Self.spanBounds.contains) else { throw Failure.span }
  }

  private enum Failure: Error {
    case span
  }

  /// In seconds: thirty days, longer than any storm.
  private static let spanBounds = 0...(30 * 86_400.0)

  /// How long it says that something took, in seconds.
  private var spans: [Double] {
    switch self {
    case .progress(let progress): [progress.seconds]
    case .result(let result), .snapshot(let result):
      [result.seconds, result.given] + (result.phases ?? []).flatMap { [$0.from, $0.to, $0.result.seconds] }
    case .ended: []
    }
  }
}
