import Foundation

/// Secrets that come from files, so that no list of processes shows them.
enum SecretFile {
  private static let sizeMax = 64 * 1024

  /// The file's text without the line feed at its end.
  static func read(_ path: String) throws -> String {
    guard let data = FileManager.default.contents(atPath: path), data.count <= sizeMax,
      let text = String(validating: data, as: UTF8.self)
    else { throw UsageError("'\(path)' cannot be read as a file of text, \(sizeMax) bytes at most") }
    let secret = text.trimmingCharacters(in: .newlines)
    guard !secret.isEmpty else { throw UsageError("'\(path)' is empty; expected a secret") }
    return secret
  }
}
