import GatewayCore
import Glibc

/// Lines over a descriptor, with a limit on their length and on the wait for them.
///
/// `@unchecked Sendable`: one thread reads, which alone touches `rest`; another may write.
final class LineStream: @unchecked Sendable {
  /// The reason why a line was not read or sent, e.g. that the other side has ended.
  enum Failure: Error, Hashable {
    /// Nothing came, or could be sent, for as long as one was willing to wait.
    case timedOut
    /// A line is longer than it may be.
    case tooLong
    /// The other side has ended, inside a line perhaps.
    case ended
  }

  private let descriptor: Int32
  /// The bytes that were read and are in no line yet, from ``start`` on. Touched by the reader only.
  private var rest: [UInt8] = []
  private var start = 0
  private static let pieceMax = 65_536

  /// Takes the descriptor over, and closes it in the end.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The next line without its line feed.
  ///
  /// - Parameters:
  ///   - bytesMax: How long it may be.
  ///   - patience: How long the whole line may take to come; nil for ever.
  func next(bytesMax: Int, patience: Duration? = nil) throws(Failure) -> [UInt8] {
    let begun = SystemTime.sinceBoot
    var searched = start
    while true {
      if let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(rest[start..<end])
        start = end + 1
        guard line.count <= bytesMax else { throw .tooLong }
        return line
      }
      guard rest.count - start <= bytesMax else { throw .tooLong }
      try waitToRead(patience.map { $0 - (SystemTime.sinceBoot - begun) })
      guard let piece = read() else { throw .ended }
      // Once for each piece, not for each line: a piece may be of thousands of empty lines.
      rest.removeFirst(start)
      start = 0
      searched = rest.count
      rest += piece
    }
  }

  private func waitToRead(_ patience: Duration?) throws(Failure) {
    while true {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // No shorter than it is.
      let milliseconds = patience.map { Int32(clamping: max(0, $0.nanoseconds) / 1_000_000 + 1) } ?? -1
      let ready = poll(&wait, 1, milliseconds)
      if ready > 0 { return }
      if ready == 0 { throw .timedOut }
      guard errno == EINTR else { throw .ended }
    }
  }

  /// Returns the available bytes; nil at the end.
  private func read() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: Self.pieceMax)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count > 0 { return Array(piece.prefix(count)) }
      guard count < 0, errno == EINTR || errno == EAGAIN else { return nil }
    }
  }

  /// Writes the line and a line feed.
  ///
  /// - Parameter patience: How long the other side may take nothing.
  func write(_ line: some Collection<UInt8>, patience: Duration = .seconds(30)) throws(Failure) {
    let bytes = Array(line) + [UInt8(ascii: "\n")]
    guard Output.write(bytes, to: descriptor, patience: Int32(clamping: patience.nanoseconds / 1_000_000)) else {
      throw errno == ETIMEDOUT ? .timedOut : .ended
    }
  }

  /// Says to the other side of a connection that nothing more will come from this one.
  func endWriting() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends a connection at once, for a reader of it too.
  func end() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
