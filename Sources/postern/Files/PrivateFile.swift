import Glibc

/// A file that only its owner may read, e.g. a recording.
enum PrivateFile {
  /// Opens a file for writing, or creates it. Its content stays until ``clear(_:)``. Returns -1, with `errno` set, on failure.
  static func open(_ path: String) -> Int32 { Glibc.open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }

  /// Removes the content of a file and the rights of others to read it. Pipes and devices stay as they are. Returns false, with
  /// `errno` set, on failure.
  static func clear(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    guard status.st_mode & S_IFMT == S_IFREG else { return true }
    return fchmod(descriptor, 0o600) == 0 && ftruncate(descriptor, 0) == 0
  }
}
