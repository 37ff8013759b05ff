import GatewayCore
import GatewayJSON
import GatewayKit
import GatewayTokens

/// The opaque tokens of the storm's issuer. A value: each time is a parameter.
struct OpaqueTokens: Sendable {
  private struct Record: Sendable {
    let user: UserID
    let issuedAt: WallTime
    let expiresAt: WallTime
  }

  private var records: [Name: Record] = [:]
  /// The number of tokens at which those that have expired are removed.
  private var sweepAt = leastKept

  private static let leastKept = 1024

  /// Whether a token was minted here and has not expired, for tests of what is kept.
  var count: Int { records.count }

  /// Returns a new token of a user.
  mutating func mint(user: UserID, issuedAt now: WallTime, expiresAt: WallTime, _ secrets: Secrets) -> Credentials {
    if records.count >= sweepAt {
      records = records.filter { $0.value.expiresAt > now }
      sweepAt = max(Self.leastKept, 2 * records.count)
    }
    let token = Self.unknown(secrets)
    records[Name(token.token)] = Record(user: user, issuedAt: now, expiresAt: expiresAt)
    return token
  }

  /// Returns a token that nobody minted.
  static func unknown(_ secrets: Secrets) -> Credentials {
    Credentials(token: "opaque_" + Base64URL.encode(secrets.bytes(24)))
  }

  /// Returns the answer to a question about a token (RFC 7662 section 2.2).
  func answer(_ token: String, issuer: String, at now: WallTime) -> [UInt8] {
    JSONWriter.object(capacity: 128) { json in
      guard let record = records[Name(token)], record.expiresAt > now else { return json.member("active", false) }
      json.member("active", true)
      json.member("token_type", "Bearer")
      json.member("iss", issuer)
      json.member("sub", record.user.name.text)
      json.member("iat", record.issuedAt.nanoseconds / 1_000_000_000)
      json.member("exp", record.expiresAt.nanoseconds / 1_000_000_000)
    }
  }
}
