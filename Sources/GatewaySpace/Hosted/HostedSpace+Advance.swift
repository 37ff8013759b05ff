internal import GatewayCore
internal import GatewayRuntime

extension HostedSpace {
  /// Moves the time of sessions and the time of day on, from deadline to deadline, each met at its own time. Only on the
  /// host.
  package func advance(by duration: Duration) {
    host.preconditionOnLoop()
    guard !isEnding else { return }
    let end = loop.now + max(.zero, duration)
    driver.stop()
    driver.settle()
    while let next = loop.deadlines.earliest, next <= end {
      driver.move(to: max(next, loop.now))
      driver.settle()
    }
    driver.move(to: end)
    driver.settle()
    driver.run()
    use()
  }
}
