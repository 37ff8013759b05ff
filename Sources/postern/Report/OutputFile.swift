import GatewayKit
import Glibc

/// An output file that a flag names, e.g. `--junit`.
struct OutputFile: Sendable {
  private let flag: String
  private let path: String

  /// Creates the file's description. Throws if the file is not writable, so that a long run does not fail at its end.
  fileprivate init(_ path: String, of flag: String) throws {
    self.flag = flag
    self.path = path
    func wrong(_ reason: String) -> UsageError { UsageError("--\(flag): '\(path)' \(reason)") }
    let file = FilePath(path)
    guard !path.isEmpty, !file.isDirectory else { throw wrong("is a directory; expected a file") }
    guard (file.exists ? file : file.folder).isWritable else {
      throw wrong(
        file.exists || file.folder.exists
          ? "may not be written: permission denied to user \(geteuid())"
          : "cannot be written: there is no such directory")
    }
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    do {
      try FilePath(path).write(bytes)
    } catch {
      throw ReportFailure("--\(flag)", path, error)
    }
  }
}

extension Reading<OutputFile> {
  /// Reads the path of a file that can be written.
  static var outputFile: Self { Reading<String>.text.map { try OutputFile($0, of: $1) } }
}
