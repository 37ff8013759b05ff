import Glibc

extension FilePath {
  /// Writes the file: all of it or, as long as a regular file stands there or nothing, what stands there stays.
  func write(_ bytes: [UInt8]) throws(FileError) {
    guard mayBeReplaced else {
      return try write(bytes, to: open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
    }
    let new = folder.appending(".postern-\(getpid())").text
    // One that a process of that number has left when it was killed.
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    do throws(FileError) {
      if descriptor >= 0, let mode = permissions { fchmod(descriptor, mode) }
      try write(bytes, to: descriptor)
      guard rename(new, text) == 0 else { throw FileError(number: errno) }
    } catch {
      if descriptor >= 0 { unlink(new) }
      throw error
    }
  }

  /// Whether an existing file may be replaced by a new one. A device such as `/dev/null`, a pipe, and a link to either may
  /// not. Nor may a file in a folder that accepts no new files.
  private var mayBeReplaced: Bool {
    var status = stat()
    let isThere = lstat(text, &status) == 0
    guard !isThere || status.st_mode & S_IFMT == S_IFREG else { return false }
    return folder.isWritable
  }

  /// The permissions of the existing file; nil if there is none.
  private var permissions: mode_t? {
    var status = stat()
    return stat(text, &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  /// Writes all to the descriptor, and closes it.
  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
    guard descriptor >= 0 else { throw FileError(number: errno) }
    let isWritten = Output.write(bytes, to: descriptor, patience: nil)
    let error = errno
    // The system may say only now that there was no room.
    let isClosed = close(descriptor) == 0
    guard isWritten else { throw FileError(number: error) }
    guard isClosed || errno == EINTR else { throw FileError(number: errno) }
  }
}
