internal import GatewayCore
internal import GatewayKit
internal import GatewayPlain
internal import GatewayProcess
internal import GatewayRuntime
internal import GatewayServer
internal import GatewaySpace

/// The host of all gateways in a test process: one thread with one loop, on which each ``PosternGateway`` is a space. Two
/// hundred tests at once use two hundred ports, but no further thread.
///
/// It starts with the first gateway, and lasts as long as the process.
enum PosternHost {
  /// The limit for all gateways together. The library walks a table of this length for each connection that ends.
  static let connectionsMax = 100_000
  private static let spacesMax = 10_000

  private static let running = Task(name: "postern") { try await start() }

  /// Starts the host, unless it runs already. Throws if it cannot listen on loopback.
  static func started() async throws -> RunningGateway { try await running.value }

  private static func start() async throws -> RunningGateway {
    // The host's own gateway is unused: its address and its tokens are not published.
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
