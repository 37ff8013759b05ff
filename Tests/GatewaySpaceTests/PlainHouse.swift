import GatewayCore
import GatewayKit
import GatewayPlain
import GatewayRuntime
import GatewaySimulator
import GatewaySpace
import GatewayTokens
import TestSupport

/// Hosted spaces with the plain dialect and real tokens.
struct PlainHouse {
  var house: TestHouse
  let issuer: PlainTokenIssuer

  /// Returns their settings, with the usual provider by default.
  static func settings(_ provider: TokenProviderPolicy? = nil) throws -> (SpaceSettings, PlainTokenIssuer) {
    let secret = try KeyMaterial.secret(Array("a secret of thirty-two bytes, or more".utf8))
    let issuer = PlainTokenIssuer(signer: try JWTSigner(secret))
    let settings = SpaceSettings(
      configuration: GatewayConfiguration(session: try SessionPolicy()),
      vendors: [PlainSettings(verifier: JWTVerifier(keys: try KeySet([VerificationKey(secret)])))],
      issuer: issuer, provider: try provider ?? TokenProviderPolicy())
    return (settings, issuer)
  }

  init(
    spaces: Int = 1, limits: HostedLimits = HostedLimits(), isFrozen: Bool = false,
    provider: TokenProviderPolicy? = nil, vendors: [any VendorSettings] = []
  ) throws {
    var settings: SpaceSettings
    (settings, issuer) = try Self.settings(provider)
    settings.vendors += vendors
    house = try TestHouse(settings, spaces: spaces, limits: limits, isFrozen: isFrozen)
  }

  var world: SimulatedWorld { house.world }

  /// Returns a token of ann's that lives for `life` from that time.
  static func token(_ issuer: PlainTokenIssuer, life: Duration, from now: WallTime) -> Credentials {
    issuer.mint(user: UserID("ann"), kind: .regular, issuedAt: now, expiresAt: now + life, calls: nil)
  }

  /// Returns the upgrade request of a client with that token.
  static func upgrade(with token: Credentials) -> HTTPRequest {
    HTTPRequest(
      method: "GET", path: PlainClientDialect().upgradeTarget,
      headers: [HTTPField("authorization", "Bearer \(token.token)")])
  }

  private func upgrade(_ life: Duration, in space: Int) -> HTTPRequest {
    Self.upgrade(with: Self.token(issuer, life: life, from: wallTime(of: space)))
  }

  /// Returns a client that the test controls.
  func connect(_ space: Int = 0, life: Duration = .seconds(3_600)) -> SimulatedPeer {
    house.dial(space, upgrade(life, in: space))
  }

  /// Returns a client that answers each refresh request with a new token.
  func connectRefreshing(
    _ space: Int = 0, life: Duration = .seconds(3_600), after delay: Duration = .zero,
    by wallTime: @escaping () -> WallTime
  ) -> RefreshingClient {
    let client = RefreshingClient(on: house.clients, after: delay) { [issuer] in
      Self.token(issuer, life: life, from: wallTime())
    }
    let dialer = SimulatedDialer(house.network, on: house.clients)
    house.clients.eventLoop.asCurrent {
      dialer.dial(
        .space(space), upgrade: upgrade(life, in: space), subprotocols: [], handler: client)
    }
    world.settle()
    return client
  }

  func wallTime(of space: Int) -> WallTime { house.spaces[space].loop.wallTime }

  /// Advances the time of a space, and waits until it has advanced.
  func advance(
    _ space: Int = 0, by duration: Duration, patience: Duration = .seconds(1), wall: Advance.WallClock = .moves,
    until stop: Advance.Stop? = nil
  ) -> Result<Advance, Advance.Failure>? {
    let space = house.spaces[space]
    return world.ask {
      do throws(Advance.Failure) {
        return .success(try await space.advance(by: duration, patience: patience, wall: wall, until: stop))
      } catch {
        return .failure(error)
      }
    }
  }

  func fetch(_ space: Int, _ method: String, _ path: String, body: String = "{}") -> Started<HTTPResponse?> {
    let dialer = SimulatedDialer(house.network, on: house.clients)
    let request = HTTPRequest(
      method: method, path: path, headers: [HTTPField("content-type", "application/json")], body: Array(body.utf8))
    let started = Started<HTTPResponse?>()
    house.clients.stage.start {
      started.end(with: try? await dialer.fetch(request, from: .space(space), timeout: .seconds(60)).get())
    }
    world.settle()
    return started
  }
}

/// A client that stays as long as it is asked: it answers each refresh request with a new token, after a delay.
///
/// `@unchecked Sendable`: used only by the thread that runs the world.
final class RefreshingClient: SocketHandler, @unchecked Sendable {
  private(set) var refreshes = 0
  private(set) var pings = 0
  private(set) var closeCode: UInt16?
  private let loop: SimulatedLoop
  private let delay: Duration
  private let token: () -> Credentials
  private var socket: (any Socket)?

  init(on loop: SimulatedLoop, after delay: Duration, _ token: @escaping () -> Credentials) {
    (self.loop, self.delay, self.token) = (loop, delay, token)
  }

  var isOpen: Bool { socket != nil && closeCode == nil }

  func socketOpened(_ socket: any Socket) { self.socket = socket }
  func socketRefused(_ failure: DialFailure) {}

  func socketReceived(_ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind) {
    let text = String(decoding: payload, as: UTF8.self)
    if text.contains("refreshed") { refreshes += 1 }
    guard text.contains("refresh_required") else { return }
    loop.execute(at: loop.now + delay) { [self] in
      _ = socket?.send(Frame(text: #"{"type":"refresh","token":"\#(token().token)"}"#))
    }
  }

  func socketReceivedPong() {}
  func socketReceivedPing() { pings += 1 }
  func socketViolated(_ reason: CloseReason) {}
  func socketClosed(_ peerCode: UInt16?) { closeCode = peerCode ?? 1006 }
}
