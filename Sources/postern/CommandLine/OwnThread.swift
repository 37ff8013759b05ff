import Glibc

/// A thread for work that blocks in the system, which no task may do, e.g. reading a silent pipe.
enum OwnThread {
  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread that ends with it. If the system has no thread left, this process ends with that reason, since
  /// the work of the thread would be waited for without end.
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
