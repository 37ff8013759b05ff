import GatewayCore
import GatewayPlain
import GatewayTokens
import Testing

@Suite("Opaque access tokens of the plain dialect")
struct PlainAccessTokenTests {
  private let now = WallTime(seconds: 1_700_000_000)
  private let verifier = JWTVerifier(
    keys: try! KeySet([try! VerificationKey(try! KeyMaterial.secret((1...32).map { UInt8($0) }))]))

  private func ask(_ token: String, _ directory: some Directory) async throws -> Verdict {
    let authenticator = PlainAuthenticator(verifier: verifier, directory: directory)
    guard case .pending(let question) = authenticator.judge(Credentials(token: token), at: now) else {
      throw GatewayError.internalError
    }
    return await question()
  }

  @Test("a stored token stands for its user, kind and dates")
  func known() async throws {
    let (token, hash) = AccessToken.mint()
    let record = AccessTokenRecord(
      user: UserID("ann"), kind: .guest, issuedAt: now - .seconds(5), expiresAt: now + .seconds(5))
    let verified = try await ask(token, OneTokenDirectory(hash: hash, record: record)).get()
    #expect(verified.user == record.user && verified.kind == .guest)
    #expect(verified.issuedAt == record.issuedAt && verified.expiresAt == record.expiresAt)
    #expect(verified.fingerprint == TokenFingerprint(of: token))
  }

  @Test("an unknown token is refused, and an expired one that a store still has")
  func unknown() async throws {
    let (token, hash) = AccessToken.mint()
    #expect(try await ask(token, NoDirectory()) == .failure(.tokenUnknown))
    let record = AccessTokenRecord(user: UserID("ann"), kind: .regular, issuedAt: now, expiresAt: now)
    #expect(try await ask(token, OneTokenDirectory(hash: hash, record: record)) == .failure(.tokenExpired))
  }

  @Test("what has not the form of a token is refused without asking the store")
  func malformed() {
    let authenticator = PlainAuthenticator(verifier: verifier, directory: NoDirectory())
    guard case .decided(let verdict) = authenticator.judge(Credentials(token: "pat_nonsense"), at: now) else {
      Issue.record("asked")
      return
    }
    #expect(verdict == .failure(.tokenMalformed))
  }
}

/// A directory that knows one access token, whatever the time.
private struct OneTokenDirectory: Directory {
  let hash: [UInt8]
  let record: AccessTokenRecord

  func makeGuest(wish: String?) async throws(GatewayError) -> UserID { throw .tooMany }
  func getOrCreateCall(_: CallID, by: UserID, at: WallTime) async throws(GatewayError) -> CallRecord { throw .tooMany }
  func call(_: CallID) async -> CallRecord? { nil }
  func join(_: CallID, user: UserID) async throws(GatewayError) -> CallRecord { throw .notFound }
  func storeAccessToken(hash: [UInt8], _: AccessTokenRecord) async throws(GatewayError) { throw .tooMany }
  func accessToken(hash: [UInt8], at: WallTime) async -> AccessTokenRecord? { hash == self.hash ? record : nil }
}
