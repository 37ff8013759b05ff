import Glibc

/// The end of standard input: the process that started the gateway has closed its end of the pipe, or is gone.
enum InputEnd {
  /// Waits for the end, or until the task is cancelled. Call it once in a process: the input is discarded.
  static func wait() async {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    // A separate thread blocks in a read: no other way works alike for a file, a terminal and a pipe.
    OwnThread.start {
      see()
      end.yield()
    }
    for await _ in ends { break }
  }

  /// Waits for the end, on a thread that may block.
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
