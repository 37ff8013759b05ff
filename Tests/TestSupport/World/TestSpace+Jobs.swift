internal import GatewayRuntime
internal import GatewaySimulator

extension TestSpace {
  /// How many jobs of tasks the gateway's loops run in `body`. Each is one crossing of a loop's queue by a task.
  package func jobs(in body: () throws -> Void) rethrows -> UInt64 {
    let before = jobCount
    try body()
    world.settle()
    return jobCount - before
  }

  private var jobCount: UInt64 {
    world.loops.prefix(gateway.tables.count).reduce(0) { $0 + $1.eventLoop.jobCount }
  }
}
