internal import GatewayCore
package import GatewayKit
internal import GatewayTokens

// The flags of `postern serve` for Sendbird.

extension SendbirdVendor: OfferedVendor {
  package static var readers: [WireReader] {
    [
      WireReader(
        SendbirdDialect(SendbirdSettings(apiToken: Credentials(token: ""))), SendbirdClientDialect(applicationID: ""))
    ]
  }
  package static let title = "Sendbird"
  package static let scheme = "sendbird"
  package static let tokens: any TokenTool = SendbirdTokenTool()
  package static let clients: any ClientTool = SendbirdClientTool()

  package static func settings(_ arguments: Arguments, _ own: OwnKeys) throws -> SendbirdSettings {
    let file = try arguments.values(of: apiTokenFile).last?.secret()
    // Without either, only this process knows the token: the Platform API is closed.
    let apiToken = file ?? own.secret ?? Base64URL.encode(SecureRandom.bytes(32))
    var settings = SendbirdSettings(apiToken: Credentials(token: apiToken))
    settings.hasRandomSecret = file == nil && own.secret == nil
    try arguments.read(options, into: &settings)
    return settings
  }

  package static let options = list

  private static let apiTokenFile = Option<SendbirdSettings>(
    "sendbird-api-token-file", "FILE",
    "the file with Sendbird's Api-Token, which also signs session tokens (default: the gateway's secret)")

  @OptionList<SendbirdSettings>
  private static var list: [Option<SendbirdSettings>] {
    Option(
      "sendbird-app-id", "ID", "the Sendbird application that clients must name (default: any)", \.applicationID,
      Reading<String>.text.map { text, name in
        guard !text.isEmpty else { throw UsageError("--\(name) must not be empty") }
        return Name(text)
      })
    apiTokenFile
    Option(
      "sendbird-users-without-token", "refuse|read-only|full",
      "what a Sendbird user may do for whom no token was issued yet (default full)", \.usersWithoutToken, .choice)
    Option(
      "sendbird-session-life", "DURATION",
      "how long a Sendbird session key is valid if its client can refresh it (default 10m)",
      \.sessionLife,
      .duration.map { life, name in
        guard life > .zero else { throw UsageError("--\(name) must be longer than 0 s") }
        return life
      })
    Option(
      "sendbird-plain-session-life", "DURATION",
      "how long a Sendbird session key is valid if its client cannot refresh it, 0 for no end (default 0)",
      \.plainSessionLife, .durationOrNone)
    Option(
      "sendbird-key-grace", "DURATION",
      "how long the previous Sendbird session key is still accepted after a refresh (default: as long as its session)",
      \.keyGrace,
      .duration)
    Option(
      "sendbird-expiry-lead", "DURATION",
      "how long before its end a Sendbird session tells its client, at most a tenth of its life (default 30s)",
      \.expiryLead,
      .duration)
    Option(
      "sendbird-http-needs-socket", "answer 800101 over HTTP to Sendbird users without a connection",
      \.needsConnectionOverHTTP)
    Option(
      "sendbird-ping-interval", "DURATION", "how often Sendbird clients are told to ping, whole seconds (default 15s)",
      \.pingInterval,
      .wholeSeconds)
    Option(
      "sendbird-pong-timeout", "DURATION",
      "how long Sendbird clients are told to wait for a pong, whole seconds (default 5s)",
      \.pongTimeout, .wholeSeconds)
    Option(
      "sendbird-reconnect", "DURATION",
      "the first pause of Sendbird clients before they reconnect, whole seconds (default 2s)",
      \.reconnectInterval, .wholeSeconds)
    Option(
      "sendbird-reconnect-max", "DURATION",
      "the longest pause of Sendbird clients before they reconnect, whole seconds (default 20s)",
      \.reconnectIntervalMax,
      .wholeSeconds)
    Option(
      "sendbird-reconnect-tries", "N", "how often Sendbird clients try to reconnect, -1 for no limit (default -1)",
      \.reconnectTries,
      .int(-1...1_000_000))
    Option(
      "sendbird-login-rate", "N", "Sendbird logins per second; further ones are answered with BUSY (default: no limit)",
      \.loginsPerSecond,
      .number(0.1...1_000_000))
    Option(
      "sendbird-busy-retry-after", "DURATION",
      "how long BUSY tells Sendbird clients to wait, whole seconds (default 3s)",
      \.busyRetryAfter, .wholeSeconds)
    Option(
      "sendbird-new-users", "N",
      "Sendbird users that one address may create per minute by a login without a token, 0 for no limit (default 6000)",
      \.newUsersPerMinuteMax, Reading<Int>.int(0...1_000_000).map { count, _ in count == 0 ? nil : count })
    Option(
      "sendbird-message-bytes-max", "N",
      "bytes of Sendbird messages that are kept; the oldest are dropped first (default 67108864)",
      \.messageBytesMax, .int(1...(1 << 40)))
    Option(
      "sendbird-file-bytes-max", "N",
      "bytes of Sendbird files that are kept; the oldest are dropped first (default 67108864)", \.fileBytesMax,
      .int(1_024...(1 << 40)))
    Option(
      "sendbird-upload-bytes-max", "N",
      "bytes of one Sendbird request that uploads a file, if that is more than --body-bytes-max (default 16777216)",
      \.uploadBytesMax, .int(0...(64 << 20)))
    Option(
      "sendbird-rate-limits", "apply Sendbird's documented limits of requests per user and second", \.limitsRates)
    Option(
      "sendbird-connections-per-user", "N",
      "connections of one Sendbird user; further ones are rejected with 400500 (default 30)",
      \.connectionsPerUserMax,
      .int(1...1_000_000))
  }
}

extension Reading<Duration> {
  /// Whole seconds, as clients are told them.
  fileprivate static var wholeSeconds: Self {
    duration.map { duration, name in
      guard duration >= .seconds(1), duration.components.attoseconds == 0 else {
        throw UsageError("--\(name) must be whole seconds, 1 s or more: clients are told so")
      }
      return duration
    }
  }
}
