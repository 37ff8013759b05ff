import Glibc

/// An executor with a thread for each job, for tests that block in system calls. On the threads that all tests share,
/// of which there are as many as processors, two such tests could block all work that they wait for.
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
