import Glibc
import Synchronization

/// The two outputs of a command: results on standard output, everything else on standard error. Both escape what would do
/// more in a terminal than be shown.
enum Output {
  /// The error that kept a result from its reader; 0 for none.
  private static let failure = Atomic<Int32>(0)

  /// Why results could not be written, in the system's words; nil if all were.
  /// A reader that has what it wanted, as in `postern ctl conform --list | head`, is no failure.
  static var failed: String? {
    let error = failure.load(ordering: .relaxed)
    return error == 0 || error == EPIPE ? nil : String(cString: strerror(error))
  }

  /// Opens those of the descriptors 0, 1 and 2 on /dev/null that the starting program has closed. Otherwise a socket or a
  /// file would get such a number, and with it the output that is meant for a terminal.
  static func openStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest number that is free, which is this one.
      _ = open("/dev/null", O_RDWR)
    }
  }

  static func line(_ text: String) {
    if !write(Self.bytes(text), to: STDOUT_FILENO, patience: nil) { failure.store(errno, ordering: .relaxed) }
  }

  /// A reader that takes nothing for a second is not told.
  static func error(_ text: String) {
    _ = write(Self.bytes("postern: \(text)"), to: STDERR_FILENO, patience: 1_000)
  }

  private static func bytes(_ text: String) -> [UInt8] {
    var bytes = Array(VisibleText.escaping(text, keeping: "\n\t").utf8)
    if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    return bytes
  }

  /// Writes all of it. False, with `errno` set, if the descriptor refuses some of it, or takes nothing for as long as
  /// `patience`, in milliseconds; nil for ever.
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
      // A pipe that can be written to has room for a page; more would block.
      let piece = rest.prefix(4_096)
      let written = piece.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      guard written > 0 else { return false }
      rest = rest.dropFirst(written)
    }
    return true
  }
}
