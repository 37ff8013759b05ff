import GatewayCore
import GatewayFleet
import GatewayKit
import GatewayProcess
import Synchronization

/// The processes of a storm that is too large for one, or runs on other machines.
///
/// Each process runs this program with the same command line, and reports line by line.
final class StormParts: Sendable {
  private struct State {
    var interrupts: [@Sendable () -> Void] = []
    /// The deadline for parts that were told to end, in time since boot; nil if none was.
    var endsBy: Duration?
    var progress: [Int: StormProgress] = [:]
    var snapshots: [Int: StormResult] = [:]
    var results: [Int: StormResult] = [:]
    var failures: [Int: String] = [:]
  }

  private let state = Mutex(State())
  private let count: Int
  private let clients: Int
  private let workers: [WorkerLink]
  private let report: @Sendable (StormProgress) -> Void
  private let snapshots: (@Sendable ([StormResult]) -> Void)?
  private let farewell: Duration
  /// The storm's name among its workers.
  private let name = StormOptions.newRun()
  private let mark: (run: String, pins: [PinnedHost])

  /// The time for the child processes to start.
  static let head = Duration.seconds(2)
  /// The time for a worker to end: it may have to close 100,000 connections.
  static let farewell = Duration.seconds(120)
  /// The timeout for a silent worker: a part reports its progress a few times a second.
  private static let workerPatience = Duration.seconds(30)
  private static let lineBytesMax = 64 << 20

  /// Prepares the parts.
  ///
  /// - Parameters:
  ///   - count: The number of parts.
  ///   - clients: The number of clients in all parts together.
  ///   - workers: The workers for the parts, in order; empty for this machine.
  ///   - run: The name of the run.
  ///   - pins: The resolved hosts.
  ///   - farewell: How long a worker may take to end.
  ///   - report: Called with the progress of the whole storm.
  ///   - snapshots: Called with the counts so far; nil for none.
  init(
    count: Int, clients: Int, workers: [WorkerLink], run: String, pins: [PinnedHost],
    farewell: Duration = StormParts.farewell, report: @escaping @Sendable (StormProgress) -> Void,
    snapshots: (@Sendable ([StormResult]) -> Void)? = nil
  ) {
    self.farewell = farewell
    self.count = count
    self.clients = clients
    mark = (run, pins)
    self.snapshots = snapshots
    self.workers = workers
    self.report = report
  }

  /// Runs all parts to their end, and merges their results.
  ///
  /// A part that fails ends the others early. The result includes what the part last reported, which it does every few
  /// seconds. Also returns how it failed. Throws if a part fails before anything has been counted.
  func run(words: [String], startsAt: WallTime) async throws -> (result: StormResult, failures: [String]) {
    let (finished, ends) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<count {
      let part = StormPart(
        process: number, processes: count, startsAt: startsAt, run: mark.run, pins: mark.pins)
      guard workers.isEmpty else {
        Task { [worker = workers[number]] in
          await order(part, words, of: worker)
          ends.yield(number)
        }
        continue
      }
      let body = try start(part, words)
      OwnThread.start {
        body()
        ends.yield(number)
      }
    }
    var left = count
    for await _ in finished {
      left -= 1
      if left == 0 { break }
      // One failed part spoils the whole storm, so the others end.
      if state.withLock({ !$0.failures.isEmpty }) { interrupt() }
    }
    let (results, snapshots, failures) = state.withLock { ($0.results, $0.snapshots, $0.failures) }
    var merged = StormResult()
    for number in 0..<count {
      if let result = results[number] ?? snapshots[number] { merged.merge(result) }
    }
    guard results.count < count else { return (merged, []) }
    let reasons = failures.sorted { $0.key < $1.key }.map(\.value)
    let failure =
      "\(count - results.count) of \(count) processes ended without a result"
      + (reasons.isEmpty ? "" : ": " + reasons.joined(separator: "; "))
    guard merged.seconds > 0 else { throw StormPartFailure(description: failure) }
    merged.wasInterrupted = true
    return (merged, [failure + "; the figures are what was counted until then"])
  }

  /// Ends all parts early, or releases parts that are through; they still report their results.
  func interrupt() {
    let interrupts = state.withLock { state in
      state.endsBy = state.endsBy ?? SystemTime.sinceBoot + farewell
      defer { state.interrupts = [] }
      return state.interrupts
    }
    for interrupt in interrupts { interrupt() }
  }

  private func whenInterrupted(_ body: @escaping @Sendable () -> Void) {
    let isTooLate = state.withLock { state in
      if state.endsBy == nil { state.interrupts.append(body) }
      return state.endsBy != nil
    }
    if isTooLate { body() }
  }

  /// Starts a part on this machine. Returns a function that reads its lines to the end, and blocks.
  private func start(_ part: StormPart, _ words: [String]) throws -> @Sendable () -> Void {
    let process = try PartProcess(
      part, words: words, environment: ProcessEnvironment.variables, keepsErrors: false)
    whenInterrupted { process.interrupt() }
    return { [self] in
      while let line = process.nextLine() { take(line, from: part.process) }
      let status = process.end().status
      if status != 0 { fail(part.process, "one ended with status \(status)") }
    }
  }

  /// Orders a part from a worker, and reads its lines to the end.
  private func order(_ part: StormPart, _ words: [String], of worker: WorkerLink) async {
    var part = part
    part.clockError = worker.clockError.nanoseconds
    let environment = ProcessEnvironment.variables.filter { $0.key.hasPrefix("POSTERN_") }
    let order = WorkerOrder(
      version: GatewayDescription.currentVersion, storm: name, words: Array(words.dropFirst()),
      environment: environment, part: part)
    let lines = Mutex(LineBuffer())
    let number = part.process
    let end = await worker.carryOut(
      order, timeout: Self.workerPatience, begun: { [self] end in whenInterrupted(end) },
      receive: { [self] piece in
        lines.withLock { $0.append(piece) }
        do throws(LineStream.Failure) {
          while let line = try lines.withLock({ lines throws(LineStream.Failure) in
            try lines.next(bytesMax: Self.lineBytesMax)
          }) {
            take(line, from: number)
            guard state.withLock({ $0.failures[number] == nil }) else { return nil }
          }
        } catch {
          fail(number, "--worker \(worker.address): it tells more in one line than a storm comes to")
          return nil
        }
        guard let rest else { return Self.workerPatience }
        return rest > .zero ? min(rest, Self.workerPatience) : nil
      })
    // Its result or its failure may already be known.
    guard state.withLock({ $0.results[number] == nil && $0.failures[number] == nil }) else { return }
    fail(number, "--worker \(worker.address): \(isOver ? Self.goesOn : Self.words(end))")
  }

  /// The time left for parts that were told to end; nil if none was.
  private var rest: Duration? { state.withLock { $0.endsBy }.map { $0 - SystemTime.sinceBoot } }
  /// Whether that time is over, but for what a timer of a loop can be early: a loop reads its clock once a turn.
  private var isOver: Bool { rest.map { $0 <= .milliseconds(50) } ?? false }

  private static let goesOn = "it goes on, though it was told to end"

  private static func words(_ end: WorkerEnd) -> String {
    switch end {
    case .over: "it is gone"
    case .silent: "it says nothing any more"
    case .refused(let reason): reason
    }
  }

  private func failByResult(_ part: Int) {
    let teller = workers.isEmpty ? "one" : "--worker \(workers[part].address): it"
    fail(part, "\(teller) told a result that no storm comes to")
  }

  private func fail(_ part: Int, _ reason: String) {
    state.withLock { $0.failures[part] = reason }
  }

  private func take(_ line: [UInt8], from part: Int) {
    guard let message = try? StormMessage(line: line) else {
      // Other output that is no message is ignored.
      guard line.starts(with: #"{"result""#.utf8) else { return }
      return failByResult(part)
    }
    switch message {
    case .result(let result):
      guard result.isPossible(of: clients) else { return failByResult(part) }
      state.withLock { $0.results[part] = result }
    case .progress(let progress):
      let sum = state.withLock { state in
        state.progress[part] = progress
        var sum = StormProgress()
        sum.stage = state.progress.values.map(\.stage).min() ?? .connecting
        sum.seconds = state.progress.values.map(\.seconds).max() ?? 0
        for progress in state.progress.values { sum.add(progress) }
        sum.phases = (0..<count).map { state.progress[$0]?.phases ?? 0 }.min() ?? 0
        sum.isThrough = (0..<count).allSatisfy { state.progress[$0]?.isThrough == true }
        return sum
      }
      report(sum)
      // All parts have waited for the last one, so that they counted over the same time.
      if sum.isThrough { interrupt() }
    case .snapshot(let snapshot):
      guard snapshot.isPossible(of: clients) else { return failByResult(part) }
      let all = state.withLock { state in
        state.snapshots[part] = snapshot
        return Array(state.snapshots.values)
      }
      snapshots?(all)
    case .ended(let status, let said):
      guard status != 0 else { return }
      let reason = said.split(whereSeparator: \.isNewline).first.map(String.init) ?? "status \(status)"
      fail(part, "--worker \(workers[part].address): its process ended: \(reason)")
    }
  }
}

/// An error for a part of a storm that ended without a result.
struct StormPartFailure: Error, CustomStringConvertible {
  let description: String
}
