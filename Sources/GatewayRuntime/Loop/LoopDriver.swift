package import GatewayCore

/// The part in which loops differ: the clock, the chance, and how a sleeping loop is woken.
package protocol LoopDriver: AnyObject, Sendable {
  /// The time on the monotonic line, read once for each wake-up. Only on the loop.
  var now: Instant { get }

  /// The time of day that belongs to ``now``. Only on the loop.
  var wallTime: WallTime { get }

  /// The next number in 0..<1 of the loop's generator. Only on the loop.
  func nextShare() -> Double

  /// Makes a sleeping loop look at its queue. Called from any thread, when work arrives at an empty queue.
  func wake()

  /// Called when the calling thread has just left the loop. Its work there may need the loop to be woken later on.
  func left()

  /// Begins to measure how late the loop is. Only on the loop.
  func measureLateness()

  /// The lateness that has been measured until now. Only on the loop.
  var lateness: LateSpans { get }

  /// How long the loop's turns were: from each wake-up to the end of all that it had to do then. Only on the loop.
  var turns: Histogram { get }
}

// The defaults for a driver whose owner checks the queue and the deadlines by itself.

extension LoopDriver {
  package func left() {}

  package func measureLateness() {}

  package var lateness: LateSpans { LateSpans() }

  package var turns: Histogram { Histogram() }
}
