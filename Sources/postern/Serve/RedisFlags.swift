import GatewayCore
import GatewayKit
import GatewayRedis
import GatewayStores
import Glibc

/// The flags of `postern serve` that only a store on Redis has.
struct RedisFlags: Sendable {
  var user: String?
  var password: String?
  var sentinelUser: String?
  var sentinelPassword: String?
  var caPath: String?
  var certificatePath: String?
  var keyPath: String?
  var prefix = "{postern}"
  var replicas = 0
  var allowsPlain = false
  var allowsVolatile = false

  @OptionList<ServeDraft>
  static var options: [Option<ServeDraft>] {
    Option("store-user", "NAME", "Redis: the user of the server's access control list (default: its default user)") {
      value, draft in
      draft.redis.user = value.text
    }
    Option("store-password-file", "FILE", "Redis: the file with the user's password") { value, draft in
      draft.redis.password = try SecretFile.read(value.text, of: value)
    }
    Option(
      "store-sentinel-user", "NAME", "Redis Sentinel: the user of its access control list (default: its default user)"
    ) {
      value, draft in
      draft.redis.sentinelUser = value.text
    }
    Option("store-sentinel-password-file", "FILE", "Redis Sentinel: the file with its own password") { value, draft in
      draft.redis.sentinelPassword = try SecretFile.read(value.text, of: value)
    }
    Option(
      "store-ca", "FILE",
      "Redis: the authority that signed the server's certificate, PEM (default: the system's authorities)"
    ) {
      value, draft in draft.redis.caPath = value.text
    }
    Option("store-certificate", "FILE", "Redis: the client certificate that the server requires, PEM") { value, draft in
      draft.redis.certificatePath = value.text
    }
    Option("store-key", "FILE", "Redis: the private key of --store-certificate, PEM") { value, draft in
      draft.redis.keyPath = value.text
    }
    Option(
      "store-prefix", "{NAME}", "Redis: the prefix of all keys; each gateway needs its own (default {postern})"
    ) { value, draft in
      guard RedisSettings.isPrefix(value.text) else {
        throw UsageError(
          value.source, value: value.text,
          expected: "1 to 64 letters, digits, dots, colons, _ or - in braces, as {postern}")
      }
      draft.redis.prefix = value.text
    }
    Option(
      "store-replicas", "N", "Redis: how many replicas must have a commit before it counts (default 0)",
      \.redis.replicas, .int(0...16))
    Option("store-allow-plain", "Redis: accept redis://, without TLS, to another machine", \.redis.allowsPlain)
    Option(
      "store-allow-volatile",
      "Redis: accept a server without an append-only file, which loses every row when it restarts",
      \.redis.allowsVolatile)
  }

  /// Returns the store with these flags.
  ///
  /// - Parameter isLoopback: Whether a host is on this machine.
  func applied(to choice: StoreChoice, isLoopback: (String) -> Bool) throws -> StoreChoice {
    guard case .redis(var settings) = choice else {
      guard user == nil, password == nil, caPath == nil, certificatePath == nil, keyPath == nil, sentinelUser == nil,
        sentinelPassword == nil
      else {
        throw UsageError(
          "--store-user, --store-password-file, --store-ca, --store-certificate and --store-key are of a --store redis://"
        )
      }
      return choice
    }
    let (servers, suffix) = (
      settings.sentinels?.targets ?? [settings.target], settings.sentinels == nil ? "" : "+sentinel"
    )
    if !settings.target.isTLS, !allowsPlain, let far = servers.first(where: { !isLoopback($0.host) }) {
      throw UsageError(
        "--store redis\(suffix)://\(far.address) sends the password and every row in clear: use rediss\(suffix)://, or "
          + "--store-allow-plain in a network that you trust")
    }
    guard user == nil || password != nil else { throw UsageError("--store-user has no --store-password-file") }
    guard settings.sentinels != nil || sentinelUser == nil && sentinelPassword == nil else {
      throw UsageError(
        "--store-sentinel-user and --store-sentinel-password-file are of a --store redis+sentinel://HOST,HOST/NAME")
    }
    guard sentinelUser == nil || sentinelPassword != nil else {
      throw UsageError("--store-sentinel-user has no --store-sentinel-password-file")
    }
    guard (certificatePath == nil) == (keyPath == nil) else {
      throw UsageError("--store-certificate and --store-key are given together, or neither")
    }
    guard settings.target.isTLS || caPath == nil && certificatePath == nil else {
      throw UsageError("--store-ca, --store-certificate and --store-key are of a --store rediss://")
    }
    settings.target = identified(settings.target)
    if var sentinels = settings.sentinels {
      sentinels.targets = sentinels.targets.map(identified)
      sentinels.user = sentinelUser
      sentinels.password = sentinelPassword.map { Credentials(token: $0) }
      sentinels.allowsPlain = allowsPlain
      settings.sentinels = sentinels
    }
    settings.user = user
    settings.password = password.map { Credentials(token: $0) }
    settings.prefix = prefix
    settings.replicas = replicas
    settings.allowsVolatile = allowsVolatile
    settings.owner = "process \(getpid()) on \(Self.hostName)"
    return .redis(settings)
  }

  /// Returns the server with the files for TLS with it.
  private func identified(_ target: LinkTarget) -> LinkTarget {
    var target = target
    (target.caPath, target.certificatePath, target.keyPath) = (caPath, certificatePath, keyPath)
    return target
  }

  /// The name of this machine.
  private static var hostName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      buffer.initialize(repeating: 0)
      guard gethostname(buffer.baseAddress!, buffer.count - 1) == 0 else { return "a machine without a name" }
      return String(cString: buffer.baseAddress!)
    }
  }
}
