import GatewayCore
import GatewayTokens
import Testing

@testable import GatewayKit

/// The refresh tokens of the built-in provider. The rules for a token that is shown again have tests of their own.
struct RefreshTokensTests {
  private static let now = Instant(nanoseconds: 5_000_000_000)

  private static func tokens(_ policy: RotationPolicy = RotationPolicy()) -> RefreshTokens {
    RefreshTokens(policy, secrets: Secrets(seed: 5))
  }

  private static func order(_ user: String) -> TokenOrder {
    TokenOrder(user: UserID(user), kind: .regular, life: .lasting(.seconds(5)), calls: nil, scheme: "plain")
  }

  @Test
  func `a refresh token keeps the user and the scheme of its login, and not the life`() throws {
    var tokens = Self.tokens()
    let first = tokens.begin(Self.order("ann"), at: Self.now)
    let shown = try #require(tokens.read(first.token))
    #expect(shown.order.user == UserID("ann") && shown.order.scheme == "plain" && shown.order.life == nil)
    let used = tokens.use(shown, at: Self.now)
    let second = try #require(used)
    #expect(second != first && tokens.read(second.token)?.order.user == UserID("ann"))
  }

  @Test
  func `a refresh token with any changed, missing or added character is none`() {
    var tokens = Self.tokens()
    let token = tokens.begin(Self.order("ann"), at: Self.now).token
    let characters = Array(token)
    for index in characters.indices {
      var changed = characters
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(tokens.read(String(changed)) == nil, "character \(index)")
    }
    #expect(tokens.read(String(token.dropLast())) == nil && tokens.read(token + "A") == nil && tokens.read("") == nil)
    #expect(tokens.read(String(repeating: "A", count: 1_000_000)) == nil)
    var others = RefreshTokens(RotationPolicy(), secrets: Secrets(seed: 6))
    _ = others.begin(Self.order("ann"), at: Self.now)
    #expect(others.read(token) == nil, "a token of another process")
  }

  @Test
  func `a stolen refresh token ends its own login, or all of its user's, or none`() throws {
    for revokes in RotationPolicy.Revocation.allCases {
      var tokens = Self.tokens(RotationPolicy(revokes: revokes))
      let phone = tokens.begin(Self.order("ann"), at: Self.now)
      let laptop = tokens.begin(Self.order("ann"), at: Self.now)
      let other = tokens.begin(Self.order("bob"), at: Self.now)
      let stolen = try #require(tokens.read(phone.token))
      let (used, again) = (tokens.use(stolen, at: Self.now), tokens.use(stolen, at: Self.now))
      let next = try #require(used)
      #expect(again == nil)
      func lives(_ token: Credentials) -> Bool {
        tokens.read(token.token).flatMap { tokens.use($0, at: Self.now) } != nil
      }
      #expect(lives(next) == (revokes == .nothing))
      #expect(lives(laptop) == (revokes != .user))
      #expect(lives(other))
      #expect(tokens.figures.familiesRevoked == (revokes == .user ? 2 : revokes == .family ? 1 : 0))
      #expect(tokens.figures.replays == 1 && tokens.figures.forgiven == 0)
    }
  }

  @Test
  func `if a theft ends all of a user's logins, the thousand-and-first login ends the oldest one`() throws {
    var tokens = Self.tokens(RotationPolicy(revokes: .user))
    let all = (0..<1_001).map { _ in tokens.begin(Self.order("ann"), at: Self.now) }
    #expect(tokens.read(all[0].token) == nil && tokens.read(all[1].token) != nil)
  }
}
