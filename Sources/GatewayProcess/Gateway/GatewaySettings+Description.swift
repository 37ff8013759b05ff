internal import GatewayCore
internal import GatewayKit
internal import GatewayRuntime
internal import GatewayServer
internal import GatewaySpace

extension GatewaySettings {
  /// Returns the public description of these settings, with `bindings` as the wire formats.
  func description(of bindings: [DialectBinding]) -> GatewayDescription {
    let (configuration, provider) = (space.configuration, space.provider)
    var dialects: [GatewayDescription.Dialect] = []
    // The second socket of a vendor uses the same times.
    for binding in bindings where !dialects.contains(where: { $0.name == binding.dialect.name }) {
      dialects.append(
        .init(
          binding.dialect.name, binding.session ?? configuration.session, binding.liveness ?? configuration.liveness))
    }
    return GatewayDescription(
      dialects: dialects,
      limits: .init(
        connectionsMax: limits.connectionsMax, connectionRate: limits.connectionsPerSecond,
        messageBytesMax: limits.messageBytesMax, bodyBytesMax: limits.bodyBytesMax,
        headerBytesMax: limits.headerBytesMax, outboundBytesMax: limits.outboundBytesMax),
      provider: .init(
        latencyS: provider.latency.inSeconds, concurrency: provider.concurrency, queueMax: provider.queueMax,
        failureRate: provider.failureRate, tokenLifeS: provider.defaultLife?.inSeconds,
        needsSecret: provider.secret != nil,
        budgets: provider.budgets.isEmpty ? nil : provider.budgets.map(\.text), rotation: provider.rotation?.text),
      loops: loops, tls: tls != nil)
  }
}
