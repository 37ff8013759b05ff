import Foundation
import GatewayCore
import GatewayFleet
import Synchronization

/// The processes of a storm that is too large for one: each runs this program with the same command line, and tells what
/// it does on its standard output. A child whose standard input ends knows that it is to end, so that none is left
/// behind if this process dies.
final class StormParts: Sendable {
  private struct State {
    var processes: [Process] = []
    var inputs: [Pipe] = []
    var progress: [Int: StormProgress] = [:]
    var results: [Int: StormResult] = [:]
  }

  // Process and Pipe are not Sendable; they stay behind this lock.
  private let state = Mutex(State())
  private let count: Int
  private let report: @Sendable (StormProgress) -> Void

  /// How long the children may take to start.
  static let head = Duration.seconds(2)

  init(count: Int, report: @escaping @Sendable (StormProgress) -> Void) {
    self.count = count
    self.report = report
  }

  /// Runs all parts to their end, and merges what they came to. Throws if one of them fails.
  func run(words: [String], startsAt: WallTime) async throws -> StormResult {
    let (finished, ends) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<count {
      try start(StormPart(process: number, startsAt: startsAt), words) { ends.yield(number) }
    }
    var left = count
    for await _ in finished {
      left -= 1
      if left == 0 { break }
    }
    let results = state.withLock { $0.results }
    guard results.count == count else {
      throw StormPartFailure(description: "\(count - results.count) of \(count) processes ended without a result")
    }
    var merged = StormResult()
    for number in 0..<count { merged.merge(results[number]!) }
    return merged
  }

  /// Ends all parts early; they still tell their results.
  func interrupt() {
    state.withLock { state in
      for input in state.inputs { try? input.fileHandleForWriting.close() }
      state.inputs = []
    }
  }

  private func start(
    _ part: StormPart, _ words: [String], whenDone: @escaping @Sendable () -> Void
  ) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(part.environment) { $1 }
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    state.withLock { state in
      state.processes.append(process)
      state.inputs.append(input)
    }
    let handle = output.fileHandleForReading
    Thread.detachNewThread { [self] in
      var lines = LineSplitter()
      while case let data = handle.availableData, !data.isEmpty {
        for line in lines.add(data) { take(line, from: part.process) }
      }
      whenDone()
    }
  }

  private func take(_ line: Data, from part: Int) {
    guard let message = try? StormMessage(line: line) else { return }
    switch message {
    case .result(let result):
      state.withLock { $0.results[part] = result }
    case .progress(let progress):
      let sum = state.withLock { state in
        state.progress[part] = progress
        var sum = StormProgress()
        sum.stage = state.progress.values.map(\.stage).min() ?? .connecting
        sum.seconds = state.progress.values.map(\.seconds).max() ?? 0
        for progress in state.progress.values { sum.add(progress) }
        return sum
      }
      report(sum)
    }
  }
}

/// A part of a storm came to no result.
struct StormPartFailure: Error, CustomStringConvertible {
  let description: String
}

/// Cuts a stream of bytes into lines.
struct LineSplitter {
  private var rest = Data()

  /// The lines that are complete now, without their line feeds.
  mutating func add(_ data: Data) -> [Data] {
    rest.append(data)
    var lines: [Data] = []
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Data(rest[rest.startIndex..<end]))
      rest = Data(rest[(end + 1)...])
    }
    return lines
  }
}
