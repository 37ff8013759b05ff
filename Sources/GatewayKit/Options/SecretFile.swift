/// A reader of secrets in files, e.g. that of `--secret-file`, so that no list of processes shows them.
package enum SecretFile {
  private static let sizeMax = 64 * 1024

  /// Returns the file's text without the line feeds around it. Throws the fault of the file, never its content. `value`
  /// is the flag's value that names the file.
  package static func read(_ path: String, of value: Arguments.Value) throws -> String {
    let source = value.source
    let bytes = try InputFile.read(path, of: value, sizeMax: sizeMax)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageError("\(source): '\(path)' is not text in UTF-8")
    }
    let secret = text.drop { $0.isNewline }
    let end = secret.lastIndex { !$0.isNewline }
    guard let end else { throw UsageError("\(source): '\(path)' is empty; expected a secret") }
    return String(secret[...end])
  }
}
