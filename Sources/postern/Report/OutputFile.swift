import GatewayKit
import Glibc

/// An output file that a flag names, e.g. `--junit`.
struct OutputFile {
  private let flag: String
  private let path: String

  /// Creates the file's description, if the flag is given. Throws if the file is not writable, so that a long run does not
  /// fail at its end.
  init?(_ arguments: Arguments, _ flag: String) throws {
    guard let path = arguments.string(flag) else { return nil }
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
