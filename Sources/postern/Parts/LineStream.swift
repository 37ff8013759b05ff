import GatewayCore
import GatewayProcess
import Glibc

/// Lines over a descriptor, e.g. of a TCP connection, with a maximum length and a timeout.
///
/// `@unchecked Sendable`: only one thread reads and touches `rest`; another may write.
final class LineStream: @unchecked Sendable {
  /// Why a line could not be read or sent.
  enum Failure: Error, Hashable {
    /// Nothing was received or sent within the timeout.
    case timedOut
    /// A line exceeds the maximum length.
    case tooLong
    /// The peer has closed, perhaps within a line.
    case ended
  }

  private let descriptor: Int32
  /// The bytes read; those from ``start`` on belong to no returned line yet. Only the reading thread uses it.
  private var rest: [UInt8] = []
  private var start = 0
  private static let pieceMax = 65_536

  /// Takes ownership of the descriptor, and closes it in the end.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Returns the next line without its line feed.
  ///
  /// - Parameters:
  ///   - bytesMax: The maximum length in bytes.
  ///   - patience: The timeout for the whole line; nil for none.
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
      // Done once for each piece, not for each line: a piece may hold thousands of empty lines.
      rest.removeFirst(start)
      start = 0
      searched = rest.count
      rest += piece
    }
  }

  private func waitToRead(_ patience: Duration?) throws(Failure) {
    while true {
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Rounded up, so that the wait is never too short.
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
  /// - Parameter patience: How long the peer may accept nothing.
  func write(_ line: some Collection<UInt8>, patience: Duration = .seconds(30)) throws(Failure) {
    let bytes = Array(line) + [UInt8(ascii: "\n")]
    guard Output.write(bytes, to: descriptor, patience: Int32(clamping: patience.nanoseconds / 1_000_000)) else {
      throw errno == ETIMEDOUT ? .timedOut : .ended
    }
  }

  /// Tells the peer of a connection that nothing more follows from this side.
  func endWriting() {
    _ = shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends a connection at once, also for a thread that reads from it.
  func end() {
    _ = shutdown(descriptor, Int32(SHUT_RDWR))
  }
}
