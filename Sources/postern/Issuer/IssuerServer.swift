import GatewayCore
import GatewayKit
import GatewayRuntime
import GatewayServer

/// The listener of the storm's issuer. It has its own loop, so that the storm's busy loops delay no answer.
struct IssuerServer {
  private let issuer: StormIssuer
  private let loop: SocketLoop
  private let listener: Listener

  /// The maximum number of open connections. A gateway keeps one or two; one that asks for every token has more.
  private static let connectionsMax = 1_024
  private static let pause = Duration.milliseconds(50)
  /// The time between the first answer with keys and the first client, in which a gateway that waited for them gets ready.
  private static let head = Duration.seconds(1)

  /// The time for the last answers.
  private static let farewell = Duration.seconds(3)

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - issuer: The issuer whose keys are served.
  ///   - host: The address, as digits or a name.
  ///   - port: The port.
  ///   - tls: The certificate; nil for plain HTTP.
  static func start(
    _ issuer: StormIssuer, on host: String, _ port: Int, tls: TLSFiles?
  ) async throws -> IssuerServer {
    var settings = Listener.Settings(host: host, port: port)
    settings.tls = tls
    settings.limits.bodyBytesMax = 16 << 10
    settings.limits.connectionsMax = connectionsMax
    settings.unreadMakesRoom = true
    let loop = SocketLoop(index: 0, limits: settings.limits)
    try loop.start()
    do {
      let listener = try await Listener.start(settings, serving: IssuerSite(issuer: issuer), on: [loop])
      return IssuerServer(issuer: issuer, loop: loop, listener: listener)
    } catch {
      loop.stop()
      throw UsageError("--serve-jwks \(host):\(port): \(error)")
    }
  }

  /// Waits until a gateway has got the keys, at most for that time. Returns whether one has.
  func waitForGateway(_ patience: Duration) async -> Bool {
    let (issuer, events) = (issuer, loop.events)
    return await Task(executorPreference: events) {
      let end = events.now + patience
      while !issuer.isKnown {
        guard events.now < end else { return false }
        await events.sleep(until: events.now + Self.pause)
      }
      await events.sleep(until: events.now + Self.head)
      return true
    }.value
  }

  func end() async {
    await listener.stopAccepting()
    await listener.finishRequests(within: Self.farewell)
    loop.stop()
  }
}
