import FoundationEssentials
import GatewayKit
import Glibc

/// A file that a flag names, to be written: that of `--junit`, for instance.
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
    let folder = URL(filePath: path).deletingLastPathComponent().path
    var isDirectory = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
    guard !path.isEmpty, !isDirectory else { throw wrong("is a directory; expected a file") }
    guard FileManager.default.isWritableFile(atPath: exists ? path : folder) else {
      throw wrong(
        exists || FileManager.default.fileExists(atPath: folder)
          ? "may not be written: permission denied to user \(geteuid())"
          : "cannot be written: there is no such directory")
    }
  }

  /// Whether a file that is there may give its place to a new one: no device may, `/dev/null` for instance, no pipe, and no link
  /// to either. Nor does a folder that takes no new files.
  private var mayBeReplaced: Bool {
    var status = stat()
    let isThere = lstat(path, &status) == 0
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else { return false }
    return FileManager.default.isWritableFile(atPath: URL(filePath: path).deletingLastPathComponent().path)
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    do {
      try Data(bytes).write(to: URL(filePath: path), options: mayBeReplaced ? .atomic : [])
    } catch {
      throw ReportFailure("--\(flag)", path, error)
    }
  }
}
