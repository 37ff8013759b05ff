internal import Dispatch

/// An executor for the actors of a test that need no loop: one job after the other, in the order of arrival.
package final class SerialTestExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "test")

  package init() {}

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
