import Glibc

/// A file that a flag names, read whole: the key of `--key-file`, for instance.
package enum InputFile {
  /// The file's bytes, at most `sizeMax`; `source` is the flag, as the user wrote it.
  ///
  /// Throws what is in the way: no such file, a directory, no permission, too many bytes.
  package static func read(_ path: String, of source: String, sizeMax: Int) throws -> [UInt8] {
    func wrong(_ reason: String) -> UsageError { UsageError("\(source): '\(path)' \(reason)") }
    guard !path.isEmpty else { throw UsageError("\(source): the name of the file is empty") }
    guard !path.utf8.contains(0) else { throw wrong("holds a NUL byte and names no file") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw wrong(reason(errno)) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while true {
      let count = min(65_536, sizeMax + 1 - bytes.count)
      let piece = try [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
        var read = -1
        repeat { read = Glibc.read(descriptor, buffer.baseAddress, count) } while read < 0 && errno == EINTR
        guard read >= 0 else { throw wrong(reason(errno)) }
        written = read
      }
      guard !piece.isEmpty else { return bytes }
      bytes += piece
      guard bytes.count <= sizeMax else { throw wrong("is larger than \(sizeMax) bytes") }
    }
  }

  /// What the failed call says about a path, as the end of a sentence.
  package static func reason(_ error: Int32) -> String {
    switch error {
    case ENOENT: "does not exist"
    case EISDIR: "is a directory; expected a file"
    case EACCES, EPERM: "may not be read: permission denied to user \(geteuid())"
    case ENOTDIR: "does not exist: a part of the path is a file, not a directory"
    case ELOOP: "is a symbolic link that leads nowhere"
    default: "cannot be read: \(String(cString: strerror(error)))"
    }
  }
}
