/// The place where the lines of a recording go. On the journal's loop.
package protocol RecordingSink: AnyObject {
  /// Takes a line, with its line feed. Returns false if there is no room for it now; it is lost then.
  func take(_ line: [UInt8]) -> Bool

  /// Takes the last line. No other follows.
  ///
  /// - Parameters:
  ///   - line: The line.
  ///   - isFull: Whether the recording ends because it is as large as it may be.
  func end(with line: [UInt8], isFull: Bool)
}
