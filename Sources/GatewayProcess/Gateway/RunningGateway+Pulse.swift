internal import GatewayCore
internal import GatewayRuntime
internal import GatewayServer

extension RunningGateway {
  /// Calls `beat` every `interval` as long as every loop responds. If a loop hangs, the calls stop. Returns when the gateway
  /// has stopped.
  func pulse(every interval: Duration, _ beat: @escaping @Sendable () -> Void) async {
    let first = loops[0].events
    await LoopStage(loop: first).perform { [gateway] in
      while !first.hasEnded {
        for table in gateway.tables { await table.perform { _ in } }
        beat()
        await first.sleep(until: first.now + interval)
      }
    }
  }
}
