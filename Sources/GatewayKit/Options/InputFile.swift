import Glibc

/// A file that a flag names, read whole: the key of `--key-file`, for instance.
package enum InputFile {
  /// Returns the bytes of the file at `path`, which `value` names, at most `sizeMax`. For a value of an order no file is
  /// opened: the content that the order carries stands in its place.
  ///
  /// Throws what is in the way: no such file, a directory, no permission, too many bytes, an order without content.
  package static func read(_ path: String, of value: Arguments.Value, sizeMax: Int) throws -> [UInt8] {
    switch value.files {
    case .local: return try readLocal(path, of: value.source, sizeMax: sizeMax)
    case .order(let content?):
      guard content.count <= sizeMax else {
        throw UsageError("\(value.source): the content is larger than \(sizeMax) bytes")
      }
      return content
    case .order(nil):
      throw UsageError("\(value.source): an order cannot name a file of the gateway's machine; send its content")
    }
  }

  /// Returns the bytes of a file of this machine, at most `sizeMax`; `source` is the flag, as the user wrote it. Only for
  /// paths that no order can set; options call ``read(_:of:sizeMax:)``.
  ///
  /// Throws what is in the way: no such file, a directory, no permission, too many bytes.
  package static func readLocal(_ path: String, of source: String, sizeMax: Int) throws -> [UInt8] {
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
