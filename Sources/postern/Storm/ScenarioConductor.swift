import GatewayCore
import GatewayFleet
import GatewayJSON
import GatewayKit
import GatewayRuntime
import GatewayServer

/// The conductor of a scenario: has the gateway do what it says, when it says so; revoke every token at the top of the
/// wave, for instance, or fail for thirty seconds. One for each storm, however many processes it has; on a loop of its
/// own.
struct ScenarioConductor {
  let options: StormOptions
  private let phases: [ScenarioPhase]
  private let times: ScenarioTimes

  /// Between two looks at whether the storm is over.
  private static let pause = Duration.milliseconds(50)

  /// Nil without a scenario that wants anything of the gateway.
  init?(_ options: StormOptions) {
    guard let scenario = options.scenario, scenario.phases.contains(where: \.wantsControl) else { return nil }
    self.options = options
    phases = scenario.phases
    times = options.times
  }

  /// Carries it out, until it is through or the task is cancelled; nothing that it ordered is left then. Returns what the
  /// gateway did not do, in sentences.
  func conduct(startsAt: WallTime, on loop: EventLoop) async -> [String] {
    var failures: [String] = []
    var faults: [StormOptions.OrderedFault] = []
    for (phase, time) in zip(phases, times.phases) {
      guard await sleep(until: startsAt + time.start, on: loop) else { break }
      await options.mend(faults)
      faults = []
      do {
        for fault in phase.faults {
          let order = try JSONCoder().text(fault)
          try await options.order(fault: order, into: &faults)
        }
        if let order = phase.order { try await options.give(order) }
      } catch {
        failures.append("the phase '\(phase.name)' was not as the scenario has it: \(error)")
      }
    }
    if let last = times.phases.last { _ = await sleep(until: startsAt + last.start + last.length, on: loop) }
    await options.mend(faults)
    return failures
  }

  /// False if the storm is over before.
  private func sleep(until time: WallTime, on loop: EventLoop) async -> Bool {
    while !Task.isCancelled, loop.wallTime < time {
      await loop.sleep(until: loop.now + min(Self.pause, time - loop.wallTime))
    }
    return !Task.isCancelled
  }
}
