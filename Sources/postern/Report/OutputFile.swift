import GatewayKit
import Glibc

/// A file to be written, named by a flag, e.g. `--junit`.
struct OutputFile {
  private let flag: String
  private let path: String

  /// The file that the flag names, if it is given. Throws if it cannot be written, so that nothing fails for want of it
  /// after long work.
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
