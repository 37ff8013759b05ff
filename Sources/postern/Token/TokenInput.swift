import GatewayKit
import Glibc

/// The token of a command: its operand, or standard input, as in `postern token inspect < token`.
enum TokenInput {
  private static let sizeMax = 65_536

  /// The token without the white space around it. `-`, or nothing where standard input is no terminal, reads that.
  static func read(_ arguments: Arguments) throws -> String {
    if let operand = try arguments.operand(), operand != "-" { return operand }
    guard isatty(STDIN_FILENO) == 0 else {
      throw UsageError("no token: give it as the operand or on standard input")
    }
    let data = try readInput()
    guard data.count <= sizeMax else { throw UsageError("standard input holds more than \(sizeMax) bytes") }
    guard let text = String(validating: data, as: UTF8.self) else { throw UsageError("standard input is not text") }
    let token = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    guard !token.isEmpty else { throw UsageError("no token on standard input") }
    return token
  }

  /// All of standard input, or a byte more than a token may have.
  private static func readInput() throws -> [UInt8] {
    var (bytes, piece) = ([UInt8](), [UInt8](repeating: 0, count: 4_096))
    while bytes.count <= sizeMax {
      let count = Glibc.read(STDIN_FILENO, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw UsageError("standard input cannot be read: \(String(cString: strerror(errno)))") }
      guard count > 0 else { break }
      bytes += piece.prefix(count)
    }
    return bytes
  }
}
