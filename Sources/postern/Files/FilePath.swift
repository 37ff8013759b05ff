import GatewayKit
import Glibc

/// A path in the file system.
struct FilePath {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  /// The file type at the path, after following links; nil if there is no file or it is not accessible.
  private var mode: mode_t? {
    var status = stat()
    return stat(text, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  var exists: Bool { mode != nil }
  var isDirectory: Bool { mode == S_IFDIR }
  /// Whether this process may write to the file, or create files in the directory.
  var isWritable: Bool { access(text, W_OK) == 0 }

  /// The directory that contains it.
  var folder: FilePath {
    let parts = text.split(separator: "/")
    let folder = parts.dropLast().joined(separator: "/")
    return FilePath(text.hasPrefix("/") ? "/" + folder : folder.isEmpty ? "." : folder)
  }

  func appending(_ name: String) -> FilePath {
    FilePath(text.hasSuffix("/") ? text + name : "\(text)/\(name)")
  }

  /// The whole text of a file of the system that reports no size, e.g. `/proc/cpuinfo`; nil if it cannot be read or has more
  /// than a mebibyte.
  var systemText: String? {
    (try? InputFile.readLocal(text, of: text, sizeMax: 1 << 20)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The destination of the symbolic link; nil if it is no link.
  var destination: String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(text, &bytes, bytes.count)
    return count < 0 ? nil : String(decoding: bytes.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The names in the directory, without `.` and `..`; empty if it cannot be read.
  var names: [String] {
    guard let folder = opendir(text) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { names.append(name) }
    }
    return names
  }

  /// Creates the directory and its parents, unless they exist.
  func makeDirectory() throws(FileError) {
    guard !isDirectory else { return }
    if folder.text != text { try folder.makeDirectory() }
    guard mkdir(text, 0o777) == 0 || isDirectory else { throw FileError(number: errno) }
  }
}

/// An error of the operating system about a file.
struct FileError: Error, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  let number: Int32

  var description: String { String(cString: strerror(number)) }
}
