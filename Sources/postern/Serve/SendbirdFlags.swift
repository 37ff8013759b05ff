import GatewayCore
import GatewaySendbird
import GatewayTokens

/// The flags of the Sendbird dialect, and the settings they ask for.
enum SendbirdFlags {
  static let all = [
    Flag("sendbird-app-id", "ID", "the Sendbird application that clients must name (default: any)"),
    Flag("sendbird-api-token-file", "FILE", "the Api-Token, which signs session tokens too (default: the secret)"),
    Flag(
      "sendbird-users-without-token", "refuse|read-only|full",
      "what users may do to whom no token was ever issued (default full)"),
    Flag("sendbird-session-life", "DURATION", "a session key's life where the client can refresh (default 10m)"),
    Flag("sendbird-plain-session-life", "DURATION", "its life where the client cannot, 0 for no end (default 0)"),
    Flag("sendbird-key-grace", "DURATION", "how long the key before is good (default: as long as its session)"),
    Flag(
      "sendbird-expiry-lead", "DURATION",
      "how long before a session's end its client is told, a tenth of its life at most (default 30s)"),
    Flag("sendbird-http-needs-socket", nil, "say 800101 over HTTP to users without a connection"),
    Flag("sendbird-ping-interval", "DURATION", "how often clients ping, whole seconds (default 15s)"),
    Flag("sendbird-pong-timeout", "DURATION", "how long they wait for the answer, whole seconds (default 5s)"),
    Flag("sendbird-reconnect", "DURATION", "their first pause before they come back, whole seconds (default 2s)"),
    Flag("sendbird-reconnect-max", "DURATION", "their longest pause, whole seconds (default 20s)"),
    Flag("sendbird-reconnect-tries", "N", "how often they try, -1 for endless (default -1)"),
    Flag("sendbird-login-rate", "N", "logins answered in a second; BUSY above (default: no limit)"),
    Flag("sendbird-busy-retry-after", "DURATION", "when BUSY has them come back, whole seconds (default 3s)"),
    Flag(
      "sendbird-new-users", "N",
      "users an address may make in a minute by logging in by name alone, 0 for any number (default 6000)"),
    Flag("sendbird-message-bytes-max", "N", "bytes of messages kept; the oldest give way (default 67108864)"),
    Flag("sendbird-rate-limits", nil, "keep the documented limits of what a user may ask for in a second"),
    Flag("sendbird-connections-per-user", "N", "connections of one user; 400500 above (default 30)"),
  ]

  /// The settings, checked. `secret` is the gateway's own, if it has one that is text.
  static func settings(_ arguments: Arguments, secret: String?) throws -> SendbirdSettings {
    let file = try arguments.secret("sendbird-api-token-file")
    // Without either nobody but this process knows it: the Platform API is closed.
    let apiToken = file ?? secret ?? Base64URL.encode(SecureRandom.bytes(32))
    var settings = SendbirdSettings(apiToken: Credentials(token: apiToken))
    settings.applicationID = arguments.string("sendbird-app-id").map { Name($0) }
    guard settings.applicationID?.text.isEmpty != true else { throw UsageError("--sendbird-app-id must not be empty") }
    if let choice = try arguments.choice(
      "sendbird-users-without-token", SendbirdSettings.UsersWithoutToken.self)
    {
      settings.usersWithoutToken = choice
    }
    if let life = try arguments.duration("sendbird-session-life") {
      guard life > .zero else { throw UsageError("--sendbird-session-life must be longer than 0 s") }
      settings.sessionLife = life
    }
    settings.plainSessionLife = try arguments.duration("sendbird-plain-session-life").flatMap { $0 == .zero ? nil : $0 }
    settings.keyGrace = try arguments.duration("sendbird-key-grace")
    settings.expiryLead = try arguments.duration("sendbird-expiry-lead") ?? settings.expiryLead
    settings.needsConnectionOverHTTP = try arguments.isOn("sendbird-http-needs-socket")
    settings.limitsRates = try arguments.isOn("sendbird-rate-limits")
    settings.loginsPerSecond = try arguments.number("sendbird-login-rate", in: 0.1...1_000_000)
    if let count = try arguments.int("sendbird-new-users", in: 0...1_000_000) {
      settings.newUsersPerMinuteMax = count == 0 ? nil : count
    }
    settings.messageBytesMax =
      try arguments.int("sendbird-message-bytes-max", in: 1...(1 << 40)) ?? settings.messageBytesMax
    settings.connectionsPerUserMax =
      try arguments.int("sendbird-connections-per-user", in: 1...1_000_000) ?? settings.connectionsPerUserMax
    try readTimes(arguments, into: &settings)
    return settings
  }

  /// What clients are told in whole seconds.
  private static func readTimes(_ arguments: Arguments, into settings: inout SendbirdSettings) throws {
    settings.pingInterval = try seconds(arguments, "sendbird-ping-interval") ?? settings.pingInterval
    settings.pongTimeout = try seconds(arguments, "sendbird-pong-timeout") ?? settings.pongTimeout
    settings.reconnectInterval = try seconds(arguments, "sendbird-reconnect") ?? settings.reconnectInterval
    settings.reconnectIntervalMax = try seconds(arguments, "sendbird-reconnect-max") ?? settings.reconnectIntervalMax
    settings.busyRetryAfter = try seconds(arguments, "sendbird-busy-retry-after") ?? settings.busyRetryAfter
    settings.reconnectTries = try arguments.int("sendbird-reconnect-tries", in: -1...1_000_000) ?? -1
  }

  private static func seconds(_ arguments: Arguments, _ name: String) throws -> Duration? {
    guard let duration = try arguments.duration(name) else { return nil }
    guard duration >= .seconds(1), duration.components.attoseconds == 0 else {
      throw UsageError("--\(name) must be whole seconds, 1 s or more: clients are told so")
    }
    return duration
  }
}
