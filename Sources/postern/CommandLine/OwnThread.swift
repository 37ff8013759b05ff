import Glibc

/// A thread for work that blocks in the system, which no task may do, e.g. reading a pipe.
enum OwnThread {
  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a new thread, which ends with it.
  ///
  /// If the system cannot start a thread, this process exits with the reason. Otherwise the callers that wait for the
  /// thread's work would wait forever.
  static func start(_ body: @escaping @Sendable () -> Void) {
    var thread: pthread_t = 0
    let failure = pthread_create(
      &thread, nil,
      { work in
        Unmanaged<Work>.fromOpaque(work!).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(Work(body)).toOpaque())
    guard failure != 0 else {
      pthread_detach(thread)
      return
    }
    Output.error("no thread can be started: \(String(cString: strerror(failure)))")
    exit(1)
  }
}
