import Glibc

extension FilePath {
  /// Writes the file. If the path has a regular file or none, it is replaced as a whole or not at all.
  func write(_ bytes: [UInt8]) throws(FileError) {
    guard mayBeReplaced else {
      return try write(bytes, to: open(text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666))
    }
    let new = folder.appending(".postern-\(getpid())").text
    // A process with the same number may have left the file when it was killed.
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

  /// Whether a new file may replace the old one. Devices such as `/dev/null`, pipes and links are not replaced, nor are files
  /// in a folder that is not writable.
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

  /// Writes all bytes to the descriptor, and closes it.
  private func write(_ bytes: [UInt8], to descriptor: Int32) throws(FileError) {
    guard descriptor >= 0 else { throw FileError(number: errno) }
    let isWritten = Output.write(bytes, to: descriptor, patience: nil)
    let error = errno
    // The system may report only here that the disk is full.
    let isClosed = close(descriptor) == 0
    guard isWritten else { throw FileError(number: error) }
    guard isClosed || errno == EINTR else { throw FileError(number: errno) }
  }
}
