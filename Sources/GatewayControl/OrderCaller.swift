internal import GatewayCore
package import GatewayRuntime

/// Writes a line to the log. Only on the loop of what the order is for.
package typealias OrderLog = @Sendable (LogLevel, String, [LogEvent.Field]) -> Void

/// The sender of an order, as the audit lines of the log name it.
struct OrderCaller: Sendable {
  /// The sender of the order that this task carries out.
  @TaskLocal static var current: OrderCaller?

  /// The authentication of the sender.
  enum Key: String, Sendable {
    /// The secret of `--control-secret-file`.
    case controlSecret = "control_secret"
    /// A login with the dashboard's page.
    case dashboard
    /// A port on loopback, which needs no secret.
    case none
  }

  let key: Key
  /// The address of the sender.
  let address: String
  /// The dashboard's session: eight digits from which its key cannot be found.
  let session: String?

  init(_ request: HTTPRequest, _ access: LoginGate.Access, hasSecret: Bool) {
    address = request.peer
    if case .dashboard(let key) = access {
      self.key = .dashboard
      session = Self.name(of: key)
    } else {
      key = hasSecret && request.bearerToken != nil ? .controlSecret : .none
      session = nil
    }
  }

  /// Reads what ``carried`` has written on another node; nil for anything else.
  init?(carried fields: [HTTPField]) {
    guard let address = fields.first(where: { $0.name == "from" })?.value,
      let word = fields.first(where: { $0.name == "key" })?.value,
      let key = [Key.controlSecret, .dashboard, .none].first(where: { Name($0.rawValue) == Name(word) })
    else { return nil }
    (self.address, self.key) = (address, key)
    session = fields.first { $0.name == "session" }?.value
  }

  /// The sender as another node reads it.
  var carried: [HTTPField] {
    [HTTPField("from", address), HTTPField("key", key.rawValue)] + (session.map { [HTTPField("session", $0)] } ?? [])
  }

  /// Returns half of an FNV-1a hash: 32 bits of a key of 256.
  private static func name(of key: [UInt8]) -> String {
    let hash = key.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let digits = String(hash >> 32, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }

  var fields: [LogEvent.Field] {
    [.init("from", address), .init("key", key.rawValue)] + (session.map { [.init("session", $0)] } ?? [])
  }

  // MARK: The log

  /// Routes that change nothing, whatever their method.
  private static let questions: Set<String> = ["/journal/await", "/journal/expect"]
  /// Routes that write a more detailed line of their own, with ``fields``.
  private static let detailed: Set<String> = [
    "/reload", "/revocations", "/signals", "/horizon/spread", "/horizon/spread/{order}",
    "/sessions/{id}/expire", "/sessions/{id}/refresh", "/sessions/{id}/disconnect", "/sessions/{id}/say",
    "/users/{id}/expire", "/users/{id}/refresh", "/users/{id}/disconnect", "/users/{id}/say",
    "/sessions/expire", "/sessions/refresh", "/sessions/disconnect", "/sessions/say",
  ]

  /// Writes the line of an order that was carried out.
  static func note(_ request: HTTPRequest, to route: HTTPRoute, _ response: HTTPResponse, in log: OrderLog) {
    guard let current, !["GET", "HEAD"].contains(request.method), response.status < 400,
      !questions.contains(route.pattern), !detailed.contains(route.pattern)
    else { return }
    log(.info, "order", [.init("order", "\(request.method) \(request.path)")] + current.fields)
  }
}
