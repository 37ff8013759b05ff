import Glibc

/// Lines over a descriptor, e.g. of a pipe, with a maximum length.
///
/// `@unchecked Sendable`: only one thread reads, and touches `lines`.
final class LineStream: @unchecked Sendable {
  /// Why a line could not be read.
  enum Failure: Error, Hashable {
    /// A line exceeds the maximum length.
    case tooLong
    /// The peer has closed, perhaps within a line.
    case ended
  }

  private let descriptor: Int32
  private var lines = LineBuffer()
  private static let pieceMax = 65_536

  /// Takes ownership of the descriptor, and closes it in the end.
  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Waits for the next line, and returns it without its line feed.
  ///
  /// - Parameter bytesMax: The maximum length in bytes.
  func next(bytesMax: Int) throws(Failure) -> [UInt8] {
    while true {
      if let line = try lines.next(bytesMax: bytesMax) { return line }
      guard let piece = read() else { throw .ended }
      lines.append(piece)
    }
  }

  /// Waits for bytes; nil at the end.
  private func read() -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: Self.pieceMax)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count > 0 { return Array(piece.prefix(count)) }
      guard count < 0, errno == EINTR else { return nil }
    }
  }
}
