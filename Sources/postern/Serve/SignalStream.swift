import Dispatch
import Glibc

/// The signals that a long-running command handles, as a sequence instead of a handler.
struct SignalStream: AsyncSequence, Sendable {
  typealias Element = Int32

  private let stream: AsyncStream<Int32>
  private let numbers: [Int32]
  // Kept alive, and cancelled; a source of Dispatch may be used on any thread.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  /// The signals that end a command which still has output: that of a closed terminal too, unless the command was started to
  /// outlive it (nohup).
  static var ends: [Int32] { [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP]) }

  private static func isIgnored(_ number: Int32) -> Bool {
    var current = sigaction()
    sigaction(number, nil, &current)
    // SIG_IGN is the address 1, which cannot be compared as a function.
    return unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Once this returns, the signals no longer end the process: they come out of this sequence, and none is lost.
  init(_ signals: [Int32]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingOldest(16))
    self.stream = stream
    numbers = signals
    // Dispatch takes a signal over some time after `resume`, and until then it would be ignored.
    let registrations = DispatchGroup()
    sources = signals.map { number in
      registrations.enter()
      Self.ignoreUnlessHandled(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      source.setRegistrationHandler { registrations.leave() }
      source.resume()
      return source
    }
    registrations.wait()
  }

  /// A second stream of a signal finds Dispatch's handler in place, and must not take it away.
  private static func ignoreUnlessHandled(_ number: Int32) {
    var current = sigaction()
    sigaction(number, nil, &current)
    if current.__sigaction_handler.sa_handler == nil { signal(number, SIG_IGN) }
  }

  /// Lets the signals do again what they do to any program.
  func end() {
    for (number, source) in zip(numbers, sources) {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }

  func makeAsyncIterator() -> AsyncStream<Int32>.Iterator {
    stream.makeAsyncIterator()
  }
}
