internal import GatewayCore
internal import GatewayKit
internal import GatewayPlain
internal import GatewayRuntime
internal import GatewayServer
internal import GatewaySpace

/// The process that tests run in, as the host of their gateways: one thread with one loop.
///
/// Each ``PosternGateway`` is a space of its own on that loop: two hundred tests at once cost two hundred ports, and no
/// further thread. It starts with the first gateway and lasts as long as the process.
enum PosternHost {
  /// Of all gateways together. The library walks a table of this length for each connection that ends.
  static let connectionsMax = 100_000
  private static let spacesMax = 10_000

  private static let running = Task(name: "postern") { try await start() }

  /// Starts it unless that has been done. Throws if nothing can listen on loopback.
  static func started() async throws -> RunningGateway { try await running.value }

  private static func start() async throws -> RunningGateway {
    // Nobody is told where the host's own gateway is, and nobody has a token for it.
    let keys = try PlainKeys()
    var settings = GatewaySettings(
      SpaceSettings(
        configuration: GatewayConfiguration(session: try SessionPolicy()),
        vendors: [PlainSettings(verifier: keys.verifier)], issuer: keys.issuer,
        provider: try TokenProviderPolicy()))
    settings.limits.connectionsMax = connectionsMax
    settings.spaces = SpacesSettings(countMax: spacesMax) { _ in
      throw GatewayError.notFound.detailed("gateways in a test process are made by PosternGateway.start")
    }
    return try await RunningGateway.start(settings)
  }
}
