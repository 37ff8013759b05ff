import GatewayCore
import GatewayFleet
import GatewayProcess
import Glibc

/// The one client that precedes a storm against other parties' systems.
///
/// If it cannot log in, thousands of others could only lock accounts and fill logs.
struct StormProbe {
  private var options: StormOptions

  /// The time it may take in addition to its own timeouts, in seconds.
  private static let slack = 5.0
  /// The time until it connects.
  private static let head = Duration.milliseconds(100)

  init(_ options: StormOptions) {
    self.options = options
    self.options.plan.clients = 1
    self.options.plan.arrivals = nil
    self.options.plan.processes = 1
    self.options.plan.loops = 1
    self.options.plan.behaviours = .allWell
    self.options.plan.ramp = .zero
    self.options.plan.loginTries = 1
    self.options.plan.reconnects = false
    self.options.plan.bound = (options.plan.fetchTimeout + options.plan.connectTimeout).inSeconds + Self.slack
  }

  /// Logs the client in and out. Throws a sentence if it was refused, or interrupted by a signal.
  func run() async throws {
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    let part = StormPart(
      process: 0, processes: 1, startsAt: SystemTime.now + Self.head, run: options.mark?.run ?? "", pins: options.pins)
    let storm = try await LocalStorm.start(options, part: part) { progress in
      if progress.attempts > 0 || progress.refusals > 0 || progress.isThrough { end.yield(false) }
    }
    let signals = SignalStream([SIGINT, SIGTERM])
    let watch = Task { for await _ in signals { end.yield(true) } }
    defer { watch.cancel() }
    let leave = Task {
      var wasSignalled = false
      for await signal in ends {
        wasSignalled = wasSignalled || signal
        storm.interrupt()
      }
      return wasSignalled
    }
    let result = await storm.run()
    end.finish()
    if await leave.value { throw StormProbeFailure(description: "interrupted before the storm began") }
    guard result.connects.accepted == 0 else { return }
    throw StormProbeFailure(
      description:
        "the first client, which goes alone, could not log in: \(Self.reason(result)) (gateway \(options.gatewayText), "
        + "tokens \(options.providerText)); no storm began")
  }

  private static func reason(_ result: StormResult) -> String {
    if let (reason, sentence) = result.tokens.sentences.min(by: { $0.key < $1.key }) { return "\(reason): \(sentence)" }
    let reasons = [result.connects.failed, result.provider.refused, result.disconnects, result.errors]
    return reasons.lazy.compactMap(\.sorted.first?.reason).first ?? "nothing answered it in time"
  }
}

/// Why no storm began.
struct StormProbeFailure: Error, CustomStringConvertible {
  let description: String
}
