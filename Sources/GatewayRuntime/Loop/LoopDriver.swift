package import GatewayCore

/// The part that tells one kind of loop from another: its clock, its chance, and how it is woken; of sockets or in
/// virtual time, for instance.
package protocol LoopDriver: AnyObject, Sendable {
  /// The time on the monotonic line, read once for each wake-up. Only on the loop.
  var now: Instant { get }

  /// The time of day that belongs to ``now``. Only on the loop.
  var wallTime: WallTime { get }

  /// The next number in 0..<1 of the loop's generator. Only on the loop.
  func nextShare() -> Double

  /// Makes a sleeping loop look at its queue. Called from any thread, when work arrives at an empty queue.
  func wake()

  /// The calling thread has just left the loop. What it did there may want somebody who wakes the loop later on.
  func left()

  /// Begins to measure how late the loop is. Only on the loop.
  func measureLateness()

  /// What has been measured of that until now. Only on the loop.
  var lateness: LateSpans { get }
}

// What holds for a driver that says nothing else: one whose owner looks at the queue and the deadlines by itself.

extension LoopDriver {
  package func left() {}

  package func measureLateness() {}

  package var lateness: LateSpans { LateSpans() }
}
