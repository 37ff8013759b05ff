import Foundation
import GatewayKit

/// The token a command is about: its operand, or standard input.
enum TokenInput {
  private static let sizeMax = 65_536

  /// The token without the white space around it. `-`, or nothing where standard input is no terminal, reads that.
  static func read(_ arguments: Arguments) throws -> String {
    if let operand = try arguments.operand(), operand != "-" { return operand }
    guard isatty(STDIN_FILENO) == 0 else {
      throw UsageError("no token: give it as the operand or on standard input")
    }
    let data = try FileHandle.standardInput.read(upToCount: sizeMax + 1) ?? Data()
    guard data.count <= sizeMax else { throw UsageError("standard input holds more than \(sizeMax) bytes") }
    guard let text = String(validating: data, as: UTF8.self) else { throw UsageError("standard input is not text") }
    let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw UsageError("no token on standard input") }
    return token
  }
}
