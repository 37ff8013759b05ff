import GatewayCore
import GatewayJSON
import GatewayRuntime
import GatewaySimulator
import GatewayTokens
import TestSupport

@testable import GatewaySinch

/// A gateway that plays Sinch in virtual time, with real tokens.
struct SimulatedSinch {
  static let application: Name = "app"
  static let secret = SinchSecret(bytes: Array(0..<16))
  static var applications: SinchApplications {
    SinchApplications([SinchApplication(key: application, secrets: [secret])])
  }

  let space: TestSpace<SinchVendor>
  let settings: SinchSettings
  /// The random source of tokens that the gateway has not issued; no gateway has this seed.
  private let chance = Secrets(seed: .max)

  /// Creates the gateway.
  ///
  /// - Parameters:
  ///   - takesFaults: Whether it accepts orders to fail.
  ///   - change: Changes the settings.
  init(
    _ session: SessionPolicy = try! SessionPolicy(), takesFaults: Bool = false,
    _ change: (inout SinchSettings) -> Void = { _ in }
  ) {
    var settings = SinchSettings(applications: Self.applications)
    change(&settings)
    self.settings = settings
    space = try! TestSpace(
      settings, GatewayConfiguration(session: session), loops: takesFaults ? 1 : 2, takesFaults: takesFaults)
  }

  var world: SimulatedWorld { space.world }
  var gateway: Gateway { space.gateway }
  var directory: SinchDirectory { space.vendor.directory }

  // MARK: Tokens

  /// Returns a registration token issued now, by a clock that is `ahead`; its registration lasts `life`, without an end
  /// if nil.
  func token(
    _ user: String = "alice", _ kind: UserKind = .regular, life: Duration? = nil, ahead: Duration = .zero
  ) -> String {
    let now = world.wallTime + ahead
    return SinchTokenIssuer(application: Self.application, secret: Self.secret, drawing: chance).mint(
      user: UserID(user), kind: kind, issuedAt: now, expiresAt: life.map { now + $0 }, calls: nil
    ).token
  }

  // MARK: Clients

  /// Returns a client with an open socket that has sent nothing.
  func connect() -> SinchPeer {
    SinchPeer(peer: space.dial(HTTPRequest(method: "GET", path: SinchDialect.path)), world: world)
  }

  /// Returns a client that has started and registered.
  func started(_ user: String = "alice", device: String = "d1", life: Duration? = nil) -> SinchPeer {
    let peer = connect()
    peer.start(user, device: device)
    peer.say(#"{"type":"register","jwt":"\#(token(user, life: life))"}"#)
    return peer
  }

  func fetch(
    _ method: String, _ path: String, headers: [HTTPField] = [], body: String = ""
  ) -> HTTPResponse? {
    let headers = headers + [HTTPField("content-type", "application/json")]
    return try? space.fetch(HTTPRequest(method: method, path: path, headers: headers, body: Array(body.utf8)))?.get()
  }

  /// Returns the gateway's answer to an operator's order.
  func order<Answer: Sendable>(_ body: @escaping @Sendable (Gateway) async -> Answer) -> Answer? {
    space.order(body)
  }

  /// Returns the user's valid instances.
  func instances(of user: String = "alice") -> [SinchInstance] {
    let directory = directory
    let now = world.wallTime
    return world.ask {
      try? await directory.instances(of: UserID(user), application: Self.application, at: now, limit: 10)
    }.flatMap { $0 } ?? []
  }
}

/// A client that a test controls.
struct SinchPeer {
  let peer: SimulatedPeer
  let world: SimulatedWorld

  /// Sends a message, and receives the immediate answers.
  func say(_ text: String) {
    peer.say(text)
    world.settle()
  }

  /// Sends `start`; `more` contains further members, beginning with a comma.
  func start(_ user: String = "alice", application: String = "app", device: String = "d1", _ more: String = "") {
    say(
      #"{"type":"start","applicationKey":"\#(application)","userId":"\#(user)","deviceId":"\#(device)","#
        + #""sdk":{"platform":"ios","version":"5.33"}\#(more)}"#)
  }

  /// Starts with an earlier instance, signed as of `timestamp`.
  func start(instance id: String, secret: [UInt8], at time: WallTime? = nil, user: String = "alice") {
    let timestamp = SinchCalendar.text(time ?? world.wallTime)
    let signature = SinchRequestSignature(method: "GET", timestamp: timestamp, path: SinchDialect.path).sign(secret)
    start(
      user, #","instance":{"id":"\#(id)","timestamp":"\#(timestamp)","signature":"\#(signature)"}"#)
  }

  /// The types of all messages so far.
  var types: [String] { peer.texts.map { Self.value("type", in: $0) ?? "" } }

  /// Returns the last message's string with that name, at any depth.
  func last(_ name: String) -> String? { peer.texts.last.flatMap { Self.value(name, in: $0) } }

  /// The id and secret in the latest registration that contained them.
  var registered: (id: String, secret: [UInt8])? {
    for text in peer.texts.reversed() {
      if let id = Self.value("id", in: text), let secret = Self.value("secret", in: text).flatMap(Base64.decode) {
        return (id, secret)
      }
    }
    return nil
  }

  var isOpen: Bool { peer.isOpen }
  var closeCode: UInt16? { peer.ending?.code }

  private static func value(_ name: String, in text: String) -> String? {
    guard let root = try? JSONDocument.parse(text).root else { return nil }
    if let found = root[member: name]?.string { return found }
    return root.members?.lazy.compactMap { $0.value[member: name]?.string }.first
  }
}
