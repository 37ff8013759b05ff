import Foundation

/// The two ways out of a command: results on standard output, everything else on standard error.
enum Output {
  static func line(_ text: String) {
    write(text, to: STDOUT_FILENO)
  }

  static func error(_ text: String) {
    write("postern: \(text)", to: STDERR_FILENO)
  }

  /// Writes all of it and a line feed; a reader that is gone is ignored.
  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)
    if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { return }
      rest = rest.dropFirst(written)
    }
  }
}
