import Glibc
import Synchronization

/// Both ends of a pipe(2), which no child inherits.
struct Pipe {
  let reading: Int32
  let writing: Int32

  /// Creates a pipe. Throws the error of the system, e.g. if no descriptor is left.
  init() throws(ChildProcess.NotStarted) {
    var ends: [Int32] = [0, 0]
    let error = ChildProcess.making.withLock { _ in
      guard pipe(&ends) == 0 else { return errno }
      for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      return 0
    }
    guard error == 0 else { throw ChildProcess.NotStarted(path: "a pipe", error: error) }
    (reading, writing) = (ends[0], ends[1])
  }
}
