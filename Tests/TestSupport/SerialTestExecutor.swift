internal import Dispatch

/// An executor for a test's actors that need no loop: it runs jobs one after another, in the order of arrival.
package final class SerialTestExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "test")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
