internal import Dispatch
internal import Glibc
internal import Synchronization

/// The signals that a long-running command handles, as a sequence instead of a handler.
package struct SignalStream: AsyncSequence, Sendable {
  package typealias Element = Int32

  private let stream: AsyncStream<Int32>
  private let unread: Unread
  private let numbers: [Int32]
  // Kept to stay alive, and to be cancelled; a source of Dispatch may be used on any thread.
  private nonisolated(unsafe) let sources: [any DispatchSourceSignal]

  /// The signals that end a command that still prints results. SIGHUP of a closed terminal is among them, unless it is
  /// ignored (nohup).
  package static var ends: [Int32] { [SIGINT, SIGTERM] + (isIgnored(SIGHUP) ? [] : [SIGHUP]) }

  private static func isIgnored(_ number: Int32) -> Bool {
    var current = sigaction()
    sigaction(number, nil, &current)
    // SIG_IGN is the address 1, which cannot be compared as a function.
    return unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self) == 1
  }

  /// Starts to handle the signals. Once it returns, they no longer end the process: this sequence yields them all.
  package init(_ signals: [Int32]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .unbounded)
    self.stream = stream
    let unread = Unread()
    self.unread = unread
    numbers = signals
    // Dispatch starts to handle a signal some time after `resume`; until then it would be ignored.
    let registrations = DispatchGroup()
    sources = signals.map { number in
      registrations.enter()
      Self.ignoreUnlessHandled(number)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { if unread.add(number) { continuation.yield(number) } }
      source.setRegistrationHandler { registrations.leave() }
      source.resume()
      return source
    }
    registrations.wait()
  }

  /// Ignores the signal unless it has a handler. A second stream of a signal must not remove Dispatch's handler.
  private static func ignoreUnlessHandled(_ number: Int32) {
    var current = sigaction()
    sigaction(number, nil, &current)
    if current.__sigaction_handler.sa_handler == nil { signal(number, SIG_IGN) }
  }

  /// Restores the default actions of the signals.
  package func end() {
    for (number, source) in zip(numbers, sources) {
      source.cancel()
      signal(number, SIG_DFL)
    }
  }

  package func makeAsyncIterator() -> Iterator {
    Iterator(inner: stream.makeAsyncIterator(), unread: unread)
  }

  package struct Iterator: AsyncIteratorProtocol {
    fileprivate var inner: AsyncStream<Int32>.Iterator
    fileprivate let unread: Unread

    package mutating func next(isolation actor: isolated (any Actor)?) async -> Int32? {
      let number = await inner.next(isolation: actor)
      if let number { unread.remove(number) }
      return number
    }
  }

  /// The unread signals, at most two of each number, so that many of one displace no other.
  fileprivate final class Unread: Sendable {
    private static let countMax = 2
    private let counts = Mutex<[Int32: Int]>([:])

    /// Returns whether the signal must be passed on.
    func add(_ number: Int32) -> Bool {
      counts.withLock { counts in
        guard counts[number, default: 0] < Self.countMax else { return false }
        counts[number, default: 0] += 1
        return true
      }
    }

    func remove(_ number: Int32) { counts.withLock { $0[number, default: 1] -= 1 } }
  }
}
