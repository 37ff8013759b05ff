import Glibc

/// Threads for tests that wait in system calls, one for each job; a test that reads with a ``RawClient``, for instance.
/// On the threads that all tests share, of which there are as many as processors, two such tests would wait for what
/// nobody is left to do.
final class BlockingThreads: TaskExecutor {
  static let shared = BlockingThreads()

  private final class Work {
    let job: UnownedJob
    init(_ job: UnownedJob) { self.job = job }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let work = Unmanaged.passRetained(Work(UnownedJob(job)))
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.job.runSynchronously(on: BlockingThreads.shared.asUnownedTaskExecutor())
        return nil
      }, work.toOpaque())
    precondition(failure == 0, "no thread: \(String(cString: strerror(failure)))")
    pthread_detach(thread)
  }
}
