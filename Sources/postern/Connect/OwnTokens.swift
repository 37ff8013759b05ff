import GatewayCore
import GatewayKit

/// The tokens of `--token-file`, presented as they are. A file is read anew for each token. Standard input is read once, and
/// has a token in each line; the last one serves for ever.
struct OwnTokens: Sendable {
  private let file: Arguments.Value
  /// The lines of standard input that have not been presented, and the last one that was.
  private var lines: [String] = []

  /// Creates the source. Throws if the first token cannot be read.
  init(_ file: Arguments.Value) throws {
    self.file = file
    guard isInput else {
      _ = try Self.read(file)
      return
    }
    lines = try TokenInput.lines(of: file.source).reversed()
  }

  private var isInput: Bool { file.text == "-" }

  /// Returns the token to present now.
  mutating func next() throws -> Credentials {
    guard isInput else { return Credentials(token: try Self.read(file)) }
    let token = lines.count > 1 ? lines.removeLast() : lines[lines.startIndex]
    return Credentials(token: token)
  }

  private static func read(_ file: Arguments.Value) throws -> String {
    let text = try SecretFile.read(file.text, of: file)
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 1 else {
      throw UsageError("\(file.source): '\(file.text)' has \(words.count) words; expected one token")
    }
    return String(words[0])
  }
}
