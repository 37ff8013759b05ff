import Dispatch
import GatewayCore
import Synchronization

/// A part of a storm on a worker: a process of this program. Its lines are the body of the answer to its order.
///
/// A separate thread reads the lines, and waits while the storm has not received the earlier ones. The part ends when
/// the storm orders that, or when the storm has gone.
final class WorkerPart: Sendable {
  private struct State {
    /// The pieces that the storm has not asked for yet, in order.
    var pieces: [[UInt8]] = []
    var bytes = 0
    var isOver = false
    /// Whether the storm has gone, or has all that it asked for.
    var isAbandoned = false
    /// The request for the next piece, which waits for it.
    var waiting: CheckedContinuation<Void, Never>?
  }

  private let process: PartProcess
  private let state = Mutex(State())
  /// Signalled for each piece that the storm has taken, and when it has gone.
  private let taken = DispatchSemaphore(value: 0)

  /// The next line is read when no more bytes than this wait for the storm.
  private static let waitingBytesMax = 1 << 20
  /// A longer line is passed on in pieces.
  private static let pieceBytesMax = 256 << 10

  /// Starts the process.
  init(_ order: WorkerOrder) throws {
    // Not the worker's own: the order contains all of them.
    let own = ProcessEnvironment.variables.filter { !$0.key.hasPrefix("POSTERN_") }
    let theirs = order.environment.filter { $0.key.hasPrefix("POSTERN_") }
    process = try PartProcess(
      order.part, words: ["storm"] + order.words, environment: own.merging(theirs) { $1 }, keepsErrors: true)
  }

  /// Reads the lines of the process to its end. Blocks, so call it on a separate thread.
  func run() {
    while let line = process.nextLine() {
      add(line)
      waitForRoom()
    }
    let (status, said) = process.end()
    if let line = try? StormMessage.ended(status: status, said: said).line() { add(Array(line.utf8)) }
    wake { $0.isOver = true }
  }

  /// Ends the part early; it still tells its result.
  func interrupt() { process.interrupt() }

  /// Ends the part early; its lines are not read any more.
  func abandon() {
    wake { state in
      state.isAbandoned = true
      state.pieces = []
      state.bytes = 0
    }
    taken.signal()
    process.interrupt()
  }

  private func add(_ line: [UInt8]) {
    let line = line + [UInt8(ascii: "\n")]
    wake { state in
      guard !state.isAbandoned else { return }
      for start in stride(from: 0, to: line.count, by: Self.pieceBytesMax) {
        state.pieces.append(Array(line[start..<min(start + Self.pieceBytesMax, line.count)]))
      }
      state.bytes += line.count
    }
  }

  private func waitForRoom() {
    while state.withLock({ $0.bytes > Self.waitingBytesMax && !$0.isAbandoned }) { taken.wait() }
  }

  /// Makes the change, and lets the waiting request look at it.
  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  // MARK: The answer

  /// The lines of the part as the body of an answer. The part is abandoned when the body is not read to its end.
  var body: HTTPStream {
    let reader = Reader(self)
    return HTTPStream(endsByItself: true) { await reader.part.next() }
  }

  /// The reader of the body, for as long as there is one.
  private final class Reader: Sendable {
    let part: WorkerPart

    init(_ part: WorkerPart) { self.part = part }

    deinit { part.abandon() }
  }

  /// Returns the next piece; nil after the last.
  private nonisolated(nonsending) func next() async -> [UInt8]? {
    while true {
      let (piece, isOver) = state.withLock { state -> ([UInt8]?, Bool) in
        guard !state.pieces.isEmpty else { return (nil, state.isOver || state.isAbandoned) }
        let piece = state.pieces.removeFirst()
        state.bytes -= piece.count
        return (piece, false)
      }
      if let piece {
        taken.signal()
        return piece
      }
      if isOver { return nil }
      await withTaskCancellationHandler {
        await withCheckedContinuation { wait($0) }
      } onCancel: {
        abandon()
      }
    }
  }

  private func wait(_ continuation: CheckedContinuation<Void, Never>) {
    let hasNews = state.withLock { state in
      let hasNews = !state.pieces.isEmpty || state.isOver || state.isAbandoned
      if !hasNews { state.waiting = continuation }
      return hasNews
    }
    if hasNews { continuation.resume() }
  }
}
