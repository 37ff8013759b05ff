import Dispatch
import Foundation

/// The signals a long-running command answers to, as a sequence in place of a handler.
struct SignalStream: AsyncSequence, Sendable {
  typealias Element = Int32

  private let stream: AsyncStream<Int32>
  // Only kept alive; nobody calls them.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  /// From here on the signals no longer end the process: they come out of this sequence.
  init(_ signals: [Int32]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .bufferingOldest(16))
    self.stream = stream
    sources = signals.map { number in
      Self.ignoreUnlessHandled(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { continuation.yield(number) }
      source.resume()
      return source
    }
  }

  /// A second stream of a signal finds Dispatch's handler in place, and must not take it away.
  private static func ignoreUnlessHandled(_ number: Int32) {
    var current = sigaction()
    sigaction(number, nil, &current)
    if current.__sigaction_handler.sa_handler == nil { signal(number, SIG_IGN) }
  }

  func makeAsyncIterator() -> AsyncStream<Int32>.Iterator {
    stream.makeAsyncIterator()
  }
}
