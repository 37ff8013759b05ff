import Glibc

/// A thread for work that waits in the system, which no task may do: reading a pipe that says nothing for an hour, for instance.
enum OwnThread {
  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Runs `body` on a thread that ends with it. A system that has no thread left ends this process with its reason: whoever
  /// waits for what the thread would do would wait for ever.
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
