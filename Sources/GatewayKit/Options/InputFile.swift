import Glibc

/// A reader of whole files that flags name, e.g. the key of `--key-file`.
package enum InputFile {
  /// Returns the bytes of the file at `path`, at most `sizeMax`. If `value` comes from an order, no file is opened: the
  /// content that the order carries is used.
  ///
  /// Throws if there is no such file, it is a directory, permission is denied, it is too large, or an order has no
  /// content.
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

  /// Returns the bytes of a file of this machine, at most `sizeMax`; `source` is the flag, as the user wrote it. Only
  /// for paths that no order can set; options call ``read(_:of:sizeMax:)``.
  ///
  /// Throws if there is no such file, it is a directory, permission is denied, or it is too large.
  package static func readLocal(_ path: String, of source: String, sizeMax: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try readPieces(path, of: source) { piece in
      guard piece.count <= sizeMax - bytes.count else {
        throw UsageError("\(source): '\(path)' is larger than \(sizeMax) bytes")
      }
      bytes += piece
    }
    return bytes
  }

  /// Gives a file of this machine to `take`, piece by piece: 64 KiB at most, and none at its end. Otherwise as
  /// ``readLocal(_:of:sizeMax:)``, for files that are too large for memory.
  package static func readPieces(
    _ path: String, of source: String, _ take: (_ piece: [UInt8]) throws -> Void
  ) throws {
    func wrong(_ reason: String) -> UsageError { UsageError("\(source): '\(path)' \(reason)") }
    guard !path.isEmpty else { throw UsageError("\(source): the name of the file is empty") }
    guard !path.utf8.contains(0) else { throw wrong("holds a NUL byte and names no file") }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw wrong(reason(errno)) }
    defer { close(descriptor) }
    while true {
      let piece = try [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, written in
        var read = -1
        repeat { read = Glibc.read(descriptor, buffer.baseAddress, 65_536) } while read < 0 && errno == EINTR
        guard read >= 0 else { throw wrong(reason(errno)) }
        written = read
      }
      guard !piece.isEmpty else { return }
      try take(piece)
    }
  }

  /// Returns the cause of a failed call on a path, as the end of a sentence.
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
