import GatewayKit
import Glibc

/// The token that a command reads, from its operand or from standard input.
enum TokenInput {
  private static let sizeMax = 65_536

  /// Returns the token without surrounding white space. It reads standard input if the operand is `-`, or if there is none
  /// and standard input is no terminal.
  static func read(_ arguments: Arguments) throws -> String {
    if let operand = try arguments.operand(), operand != "-" { return operand }
    guard isatty(STDIN_FILENO) == 0 else {
      throw UsageError("no token: give it as the operand or on standard input")
    }
    let text = try readText()
    let token = String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    guard !token.isEmpty else { throw UsageError("no token on standard input") }
    return token
  }

  /// Returns the words of standard input, at least one: a token in each line. `source` is the flag that asks for it.
  static func lines(of source: String) throws -> [String] {
    let tokens = try readText().split(whereSeparator: \.isWhitespace).map(String.init)
    guard !tokens.isEmpty else { throw UsageError("\(source): no token on standard input") }
    return tokens
  }

  private static func readText() throws -> String {
    let data = try readInput()
    guard data.count <= sizeMax else { throw UsageError("standard input holds more than \(sizeMax) bytes") }
    guard let text = String(validating: data, as: UTF8.self) else { throw UsageError("standard input is not text") }
    return text
  }

  /// Returns all of standard input, or slightly more than a token's maximum size.
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
