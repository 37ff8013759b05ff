import Glibc
import Synchronization

/// The output of a command: results on standard output, everything else on standard error.
///
/// Both escape control characters, so that a text can only be shown by a terminal.
enum Output {
  /// The error number of a failed write of results; 0 for none.
  private static let failure = Atomic<Int32>(0)

  /// The system's error text for results that could not be written; nil if all were.
  ///
  /// A reader that closes the pipe early, as in `postern ctl conform --list | head`, is no failure.
  static var failed: String? {
    let error = failure.load(ordering: .relaxed)
    return error == 0 || error == EPIPE ? nil : String(cString: strerror(error))
  }

  /// Opens on /dev/null each of the descriptors 0, 1 and 2 that the parent process has closed. Otherwise a socket or a file
  /// would get that number, and with it the output meant for a terminal.
  static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // `open` returns the lowest free number, which is this one.
      _ = open("/dev/null", O_RDWR)
    }
  }

  static func line(_ text: String) {
    if !write(Self.bytes(text), to: STDOUT_FILENO, patience: nil) { failure.store(errno, ordering: .relaxed) }
  }

  /// Writes `text` to standard error. Gives up if the reader accepts nothing for a second.
  static func error(_ text: String) {
    _ = write(Self.bytes("postern: \(text)"), to: STDERR_FILENO, patience: 1_000)
  }

  private static func bytes(_ text: String) -> [UInt8] {
    var bytes = Array(VisibleText.escaping(text, keeping: "\n\t").utf8)
    if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    return bytes
  }

  /// Writes all bytes. Returns false, with `errno` set, if the descriptor rejects some of them or times out.
  ///
  /// - Parameter patience: The timeout in milliseconds for the descriptor to accept bytes; nil for none.
  static func write(_ bytes: [UInt8], to descriptor: Int32, patience: Int32?) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      let ready = poll(&wait, 1, patience ?? -1)
      if ready < 0 && errno == EINTR { continue }
      if ready == 0 {
        errno = ETIMEDOUT
        return false
      }
      // A writable pipe has room for one page; a larger write would block.
      let piece = rest.prefix(4_096)
      let written = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }
}
