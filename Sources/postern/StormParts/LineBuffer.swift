/// The bytes of lines as they arrive, cut into lines.
struct LineBuffer {
  /// The bytes received; those from ``start`` on belong to no returned line yet.
  private var bytes: [UInt8] = []
  private var start = 0
  /// The bytes before this are known to hold no line feed.
  private var searched = 0

  mutating func append(_ piece: [UInt8]) {
    // Done once for each piece, not for each line: a piece may hold thousands of empty lines.
    bytes.removeFirst(start)
    searched -= start
    start = 0
    bytes += piece
  }

  /// Returns the next line without its line feed; nil if it has not arrived completely.
  ///
  /// - Parameter bytesMax: The maximum length in bytes.
  mutating func next(bytesMax: Int) throws(LineStream.Failure) -> [UInt8]? {
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      guard bytes.count - start <= bytesMax else { throw .tooLong }
      return nil
    }
    let line = Array(bytes[start..<end])
    start = end + 1
    searched = start
    guard line.count <= bytesMax else { throw .tooLong }
    return line
  }
}
