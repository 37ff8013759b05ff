internal import GatewayCore
internal import GatewayRuntime

/// A recording that a client of the control port reads while it is made. It ends when the client leaves.
///
/// `@unchecked Sendable`: used only on the journal's loop.
final class RecordingStream: RecordingSink, WakeupTarget, @unchecked Sendable {
  /// The maximum number of bytes that wait for the reader. Further lines are lost.
  private static let waitingMax = 8 << 20
  /// The longest silence. An empty line ends it.
  private static let patience = Duration.seconds(15)

  private let loop: EventLoop
  private var recorder: Recorder?
  private var waiting: [UInt8] = []
  private var reader: CheckedContinuation<Void, Never>?
  private var hasEnded = false
  private lazy var wakeup = Wakeup(target: self)

  /// Begins a recording of the journal.
  init(of journal: Journal, on loop: EventLoop) throws(GatewayError) {
    self.loop = loop
    recorder = try Recorder(of: journal, to: self)
  }

  func take(_ line: [UInt8]) -> Bool {
    guard waiting.count + line.count <= Self.waitingMax else { return false }
    waiting += line
    wakeReader()
    return true
  }

  func end(with line: [UInt8], isFull: Bool) {
    hasEnded = true
    waiting += line
    wakeReader()
  }

  private func wakeReader() {
    reader?.resume()
    reader = nil
  }

  func wakeUp() {
    if waiting.isEmpty { waiting.append(0x0a) }
    wakeReader()
  }

  /// The lines, as a body.
  var stream: HTTPStream {
    HTTPStream { [self] in
      if waiting.isEmpty { await wait() }
      defer { waiting = [] }
      if Task.isCancelled { stop() }
      return waiting.isEmpty ? nil : waiting
    }
  }

  private nonisolated(nonsending) func wait() async {
    guard !hasEnded, !Task.isCancelled else { return }
    loop.transport.deadlines.set(wakeup, at: loop.transport.now + Self.patience)
    await withTaskCancellationHandler {
      await withCheckedContinuation { reader = $0 }
    } onCancel: {
      loop.execute { [self] in stop() }
    }
    loop.transport.deadlines.remove(wakeup)
  }

  private func stop() {
    recorder = nil
    wakeReader()
  }
}
