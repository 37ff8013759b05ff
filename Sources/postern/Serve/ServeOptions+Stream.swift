import GatewayCore
import GatewayStream
import GatewayTokens
import PosternTesting

// The flags about Stream's dialect.

extension ServeFlags {
  static let stream = [
    Flag("stream-api-key", "KEY", "an API key of Stream's dialect (default: any)", repeats: true),
    Flag(
      "stream-secret-file", "FILE", "its secret, in the order of the keys; one for all of them (default: --secret's)",
      repeats: true),
    Flag("stream-leeway", "DURATION", "the clock skew that exp, nbf and iat of Stream's tokens allow for (default 0s)"),
    Flag(
      "stream-expiry-close-code", "CODE", "what a Stream socket is closed with when its token expires (default 4001)"),
    Flag("stream-expiry-delay", "DURATION", "how long before that its connection.error comes (default 0s)"),
    Flag("stream-expiry-silent", nil, "close such a socket without a connection.error"),
    Flag("stream-guest-life", "DURATION", "how long the tokens of Stream's guests live (default: for ever)"),
    Flag(
      "stream-guests-per-address-per-minute", "N",
      "guests that one address may make (default 60, and 6000 from this machine)"),
    Flag("stream-guest-rest", "DURATION", "how long a guest is kept whom nobody is connected as (default 1h)"),
    Flag("stream-users-bytes-max", "N", "bytes that all of Stream's users take together (default 268435456)"),
    Flag("stream-calls-bytes-max", "N", "bytes that all of Stream's calls take together (default 268435456)"),
    Flag("stream-no-guests", nil, "make no guests until the application's settings say so"),
    Flag("stream-no-auth-checks", nil, "accept development tokens until the application's settings say otherwise"),
    Flag("stream-location", "CODE", "the point of presence that clients are told (default FRA56-P8)"),
    Flag("stream-call-type", "NAME", "a call type beside Stream's four built-in ones", repeats: true),
    Flag("stream-any-call-type", nil, "make calls of any type (default: a type that nobody defined is refused)"),
    Flag("stream-refuse-unknown-members", nil, "refuse calls with users nobody made (default: they are made)"),
    Flag("stream-chat-anonymous", nil, "give anonymous users a socket on Chat's path, as Stream Chat does"),
    Flag("stream-rate-limits", nil, "hold Stream's clients to its documented limits"),
    Flag("stream-rate-limit-scale", "FACTOR", "times this (default 1)"),
  ]
}

extension StreamVideoSettings {
  /// What the flags ask for; `own` verifies and mints where no secret of Stream's is given.
  init(_ arguments: Arguments, own: StreamApplication) throws {
    self.init(applications: try Self.applications(arguments, own))
    leeway = try arguments.duration("stream-leeway") ?? .zero
    expiry.sendsError = try !arguments.isOn("stream-expiry-silent")
    expiry.delay = try arguments.duration("stream-expiry-delay") ?? .zero
    if let code = try arguments.int("stream-expiry-close-code", in: 1000...4999) {
      guard let code = UInt16(exactly: code), CloseReason.maySend(code) else {
        throw UsageError("--stream-expiry-close-code \(code): no close frame may carry it (RFC 6455 section 7.4)")
      }
      expiry.closeCode = code
    }
    guestLife = try arguments.duration("stream-guest-life")
    if let most = try arguments.int("stream-guests-per-address-per-minute", in: 1...10_000_000) {
      (guests.perAddressPerMinute, guests.perLoopbackPerMinute) = (most, most)
    }
    guests.rest = try arguments.duration("stream-guest-rest") ?? guests.rest
    usersBytesMax = try arguments.int("stream-users-bytes-max", in: 4096...(1 << 40)) ?? usersBytesMax
    callsBytesMax = try arguments.int("stream-calls-bytes-max", in: 4096...(1 << 40)) ?? callsBytesMax
    app.disablesGuestCreation = try arguments.isOn("stream-no-guests")
    app.disablesAuthChecks = try arguments.isOn("stream-no-auth-checks")
    try StreamSFUFlags.read(arguments, into: &calls)
    if let location = arguments.string("stream-location") {
      guard location.utf8.count >= 3, location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw UsageError("--stream-location \(location): at least three letters, of which clients take the first three")
      }
      calls.pointOfPresence = location
    }
    if try arguments.isOn("stream-any-call-type") { calls.types = nil }
    for type in arguments.strings("stream-call-type") {
      guard CallID(cid: "\(type):x") != nil else {
        throw UsageError("--stream-call-type \(type): letters, digits, _, - and ! only, 126 bytes at most")
      }
      calls.types?.insert(type)
    }
    calls.makesUnknownUsers = try !arguments.isOn("stream-refuse-unknown-members")
    admitsAnonymousToChat = try arguments.isOn("stream-chat-anonymous")
    let scale = try arguments.number("stream-rate-limit-scale", in: 0.001...1_000_000)
    if try arguments.isOn("stream-rate-limits") || scale != nil { limits = StreamLimits(scale: scale ?? 1) }
  }

  private static func applications(_ arguments: Arguments, _ own: StreamApplication) throws -> StreamApplications {
    let keys = arguments.strings("stream-api-key")
    let secrets = try arguments.values("stream-secret-file").map { file in
      do {
        return try StreamApplication(secret: try SecretFile.read(file.text, of: file.source))
      } catch let error as KeyError {
        throw UsageError("\(file.source) \(file.text): \(error)")
      }
    }
    guard keys.allSatisfy({ !$0.isEmpty }), Set(keys.map { Name($0) }).count == keys.count else {
      throw UsageError("--stream-api-key must not be empty, nor given twice")
    }
    guard secrets.count <= 1 || secrets.count == keys.count else {
      throw UsageError("--stream-secret-file is given once, or as often as --stream-api-key")
    }
    guard !keys.isEmpty else { return StreamApplications(fallback: secrets.first ?? own) }
    let pairs = keys.enumerated().map { index, key in
      (Name(key), secrets.count == keys.count ? secrets[index] : secrets.first ?? own)
    }
    return StreamApplications(Dictionary(uniqueKeysWithValues: pairs))
  }
}
