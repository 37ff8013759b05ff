internal import GatewayCore
package import GatewayKit
internal import GatewayTokens

// The flags of `postern serve` that set Stream's side.

extension StreamVendor: OfferedVendor {
  package static var readers: [WireReader] {
    StreamDialect.Kind.allCases.map { kind in
      WireReader(StreamDialect(kind), StreamVideoClientDialect(kind == .v2 ? .python : .javascript, apiKey: ""))
    }
  }
  package static let title = "Stream"
  package static let scheme = "stream-video"
  package static let tokens: any TokenTool = StreamTokenTool()
  package static let clients: any ClientTool = StreamClientTool()

  package static func settings(_ arguments: Arguments, _ own: OwnKeys) throws -> StreamVideoSettings {
    var settings = StreamVideoSettings(applications: try applications(arguments, own))
    try StreamSFUOptions.check(arguments)
    try arguments.read(options, into: &settings)
    return settings
  }

  package static let options = list

  private static let apiKey = Option<StreamVideoSettings>(
    "stream-api-key", "KEY", "an API key that Stream clients may use (default: any)", repeats: true)
  private static let secretFile = Option<StreamVideoSettings>(
    "stream-secret-file", "FILE",
    "the file with the secret of a --stream-api-key, in the same order, or one file for all keys (default: the gateway's secret)",
    repeats: true)

  @OptionList<StreamVideoSettings>
  private static var list: [Option<StreamVideoSettings>] {
    apiKey
    secretFile
    Option(
      "stream-leeway", "DURATION",
      "how far clocks may differ when exp, nbf and iat of Stream's tokens are checked (default 0s)",
      \.leeway, .duration)
    Option(
      "stream-expiry-close-code", "CODE", "the close code of a Stream socket whose token has expired (default 4001)",
      \.expiry.closeCode,
      Reading<Int>.int(1000...4999).map { number, name in
        guard let code = UInt16(exactly: number), CloseReason.maySend(code) else {
          throw UsageError("--\(name) \(number): no close frame may carry it (RFC 6455 section 7.4)")
        }
        return code
      })
    Option(
      "stream-expiry-delay", "DURATION",
      "how long a Stream socket stays open after the connection.error that reports its token's expiry (default 0s)",
      \.expiry.delay, .duration)
    Option(
      "stream-expiry-silent", "close a Stream socket whose token has expired without a connection.error",
      \.expiry.sendsError, on: false)
    Option(
      "stream-guest-life", "DURATION", "how long tokens of Stream guests are valid (default: for ever)", \.guestLife,
      .duration)
    Option(
      "stream-guests-per-address-per-minute", "N",
      "Stream guests that one address may create per minute (default 60, and 6000 from this machine)",
      \.guests.perAddress,
      .int(1...10_000_000))
    Option(
      "stream-guest-rest", "DURATION", "how long a Stream guest without a connection is kept (default 1h)",
      \.guests.rest, .duration)
    Option(
      "stream-users-bytes-max", "N", "bytes that all Stream users together may take (default 268435456)",
      \.usersBytesMax, .int(4096...(1 << 40)))
    Option(
      "stream-calls-bytes-max", "N", "bytes that all Stream calls together may take (default 268435456)",
      \.callLimits.bytes, .int(4096...(1 << 40)))
    Option(
      "stream-no-guests", "create no Stream guests until the application's settings allow them",
      \.app.disablesGuestCreation)
    Option(
      "stream-no-auth-checks", "accept Stream development tokens until the application's settings forbid them",
      \.app.disablesAuthChecks)
    Option(
      "stream-location", "CODE", "the point of presence that Stream clients are told (default FRA56-P8)",
      \.calls.pointOfPresence,
      .text.map { location, name in
        guard location.utf8.count >= 3, location.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
          throw UsageError("--\(name) \(location): at least three letters, of which clients take the first three")
        }
        return location
      })
    Option(
      "stream-call-type", "NAME", "a call type in addition to Stream's four built-in ones", repeats: true
    ) { type, settings in
      guard CallID(cid: "\(type.text):x") != nil else {
        throw UsageError("--stream-call-type \(type.text): letters, digits, _, - and ! only, 126 bytes at most")
      }
      settings.calls.types?.insert(type.text)
    }
    Option(
      "stream-any-call-type", "create Stream calls of any type (default: an undefined type is rejected)",
      \.calls.takesAnyType)
    Option(
      "stream-refuse-unknown-members", "reject Stream calls with unknown users (default: the users are created)",
      \.calls.makesUnknownUsers, on: false)
    Option(
      "stream-chat-anonymous", "accept anonymous users on the socket of Stream Chat, as Stream Chat does",
      \.admitsAnonymousToChat)
    Option("stream-rate-limits", "apply Stream's documented rate limits", \.keepsLimits)
    Option(
      "stream-rate-limit-scale", "FACTOR", "the factor that multiplies the limits of --stream-rate-limits (default 1)",
      \.limits,
      Reading<Double>.number(0.001...1_000_000).map { scale, _ in StreamLimits(scale: scale) })
    (StreamSFUOptions.place + StreamSFUOptions.own).map { $0.of(\.calls) }
  }

  private static func applications(_ arguments: Arguments, _ own: OwnKeys) throws -> StreamApplications {
    let own = StreamApplication(verifier: own.verifier, signer: own.signer)
    let keys = arguments.values(of: apiKey).map(\.text)
    let secrets = try arguments.values(of: secretFile).map { file in
      do {
        return try StreamApplication(secret: try SecretFile.read(file.text, of: file))
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

// Flags that set several values.

extension StreamGuestLimits {
  /// The limit of every address, including loopback addresses.
  fileprivate var perAddress: Int {
    get { perAddressPerMinute }
    set { (perAddressPerMinute, perLoopbackPerMinute) = (newValue, newValue) }
  }
}

extension StreamCallPolicy {
  fileprivate var takesAnyType: Bool {
    get { types == nil }
    set { if newValue { types = nil } }
  }
}

extension StreamVideoSettings {
  /// Whether requests are limited, by default as documented.
  fileprivate var keepsLimits: Bool {
    get { limits != nil }
    set { if newValue, limits == nil { limits = StreamLimits(scale: 1) } }
  }
}
