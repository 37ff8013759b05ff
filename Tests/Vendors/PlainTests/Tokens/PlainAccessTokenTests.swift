import GatewayCore
import GatewayKit
import GatewayStores
import GatewayTokens
import TestSupport
import Testing

@testable import GatewayPlain

struct PlainAccessTokenTests {
  private let now = WallTime(seconds: 1_700_000_000)
  private let verifier = JWTVerifier(
    keys: try! KeySet([try! VerificationKey(try! KeyMaterial.secret((1...32).map { UInt8($0) }))]))

  private func ask(_ token: String, _ store: any Store) async throws -> Verdict {
    let directory = PlainDirectory(store, generator: SeededGenerator(seed: 1))
    let authenticator = PlainAuthenticator(verifier: verifier, directory: directory)
    guard case .pending(let question) = authenticator.judge(Credentials(token: token), at: now) else {
      throw GatewayError.internalError
    }
    return await question()
  }

  @Test
  func `a stored token stands for its user, kind and dates`() async throws {
    let (token, hash) = AccessToken.mint(from: Secrets(seed: 1))
    let record = AccessTokenRecord(
      user: UserID("ann"), kind: .guest, issuedAt: now - .seconds(5), expiresAt: now + .seconds(5))
    let store = MemoryStore(on: SerialTestExecutor())
    try await PlainDirectory(store, generator: SeededGenerator(seed: 1)).storeAccessToken(hash: hash, record)
    let verified = try await ask(token, store).get()
    #expect(verified.user == record.user && verified.kind == .guest)
    #expect(verified.issuedAt == record.issuedAt && verified.expiresAt == record.expiresAt)
    #expect(verified.fingerprint == TokenFingerprint(of: token))
  }

  @Test
  func `an unknown token is refused, and so is an expired one`() async throws {
    let (token, hash) = AccessToken.mint(from: Secrets(seed: 1))
    let store = MemoryStore(on: SerialTestExecutor())
    #expect(try await ask(token, store) == .failure(.tokenUnknown))
    let record = AccessTokenRecord(user: UserID("ann"), kind: .regular, issuedAt: now - .seconds(5), expiresAt: now)
    try await PlainDirectory(store, generator: SeededGenerator(seed: 1)).storeAccessToken(hash: hash, record)
    #expect(try await ask(token, store) == .failure(.tokenUnknown))
  }

  @Test
  func `a token is neither accepted nor refused while the store is away`() async throws {
    let token = AccessToken.mint(from: Secrets(seed: 1)).token
    #expect(try await ask(token, FaultyStore(.away)) == .failure(.storeUnavailable))
  }

  @Test
  func `text without the form of a token is refused without asking the store`() {
    let authenticator = PlainAuthenticator(
      verifier: verifier, directory: PlainDirectory(FaultyStore(.away), generator: SeededGenerator(seed: 1)))
    guard case .decided(let verdict) = authenticator.judge(Credentials(token: "pat_nonsense"), at: now) else {
      Issue.record("asked")
      return
    }
    #expect(verdict == .failure(.tokenMalformed))
  }
}
