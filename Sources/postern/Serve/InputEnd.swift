import Glibc

/// The end of standard input: the process that started the gateway has closed its end of the pipe, or is gone.
enum InputEnd {
  /// Returns when it has come, or when the task is cancelled. Once in a process: what is read is thrown away.
  static func wait() async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    // A thread of its own: nothing tells a file, a terminal and a pipe's end apart but a read that waits.
    OwnThread.start {
      see()
      end.yield()
    }
    for await _ in ends { break }
  }

  /// The same for a thread that may wait.
  static func see() {
    var piece = [UInt8](repeating: 0, count: 4096)
    while hasMore(&piece) {}
  }

  private static func hasMore(_ piece: inout [UInt8]) -> Bool {
    let count = read(STDIN_FILENO, &piece, piece.count)
    guard count < 0 else { return count > 0 }
    if errno == EAGAIN {
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      return poll(&input, 1, -1) >= 0 || errno == EINTR
    }
    return errno == EINTR
  }
}
